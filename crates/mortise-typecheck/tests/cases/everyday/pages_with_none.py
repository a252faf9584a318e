all_rows = []
cursor = None
for _ in range(100):
    page = await mcp__financial_data__get_price_history(ticker="AMZN", cursor=cursor) if cursor else await mcp__financial_data__get_price_history(ticker="AMZN")
    all_rows += page["prices"]
    cursor = page.get("next_cursor", None)
    if not cursor:
        break
print(len(all_rows), all_rows[0]["close"])
