async def handle(command):
    match command.split():
        case ["weather", city]:
            w = await mcp__weather__get_weather(city=city)
            return f"{w['city']}: {w['conditions']}"
        case ["price", ticker, *rest]:
            limit = int(rest[0]) if rest else 5
            p = await mcp__financial_data__get_price_history(ticker=ticker, limit=limit)
            return f"{ticker}: {p['prices'][-1]['close']} {p['currency']}"
        case ["ticket", id]:
            match await mcp__tickets__get_ticket(id=id):
                case {"ticket": {"title": title, "status": "open" | "in_progress" as status}, "comments": comments}:
                    return f"{title} [{status}] {len(comments)}"
                case {"ticket": {"title": title}}:
                    return f"{title} (closed)"
                case _:
                    return "?"
        case []:
            return None
        case _:
            return "unknown"

for c in ["weather Oslo", "price AAPL 3", "ticket T-101", "", "dance now please"]:
    print(c or "(empty)", "=>", await handle(c))
