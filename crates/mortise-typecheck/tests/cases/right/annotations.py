def total(rows: List[Dict[str, Any]], start: "Date" = None) -> Optional[Number]:
    result: Total = sum(row["x"] for row in rows)
    return result


print(total([{"x": 1}]))
