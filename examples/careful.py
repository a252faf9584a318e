# Failing calls are exceptions with the facts as attributes; the rest of the program goes on.
import asyncio


async def revenue(ticker):
    try:
        rows = await mcp__financial_data__query_financials(ticker=ticker, limit=1)
        return f"{ticker}: {rows[0]['revenue'] / 1e9:.1f}B"
    except ToolError as error:
        return f"{ticker}: {error.kind} error: {error.message}"


for line in await asyncio.gather(*map(revenue, ["MSFT", "NOPE", "GOOG"])):
    print(line)
