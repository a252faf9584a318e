# Revenue trend of three companies: three calls at once, one line each.
import asyncio

TICKERS = ["AMZN", "MSFT", "GOOG"]

statements = await asyncio.gather(
    *(mcp__financial_data__query_financials(ticker=ticker, statement="income", period="quarter", limit=4) for ticker in TICKERS)
)
for ticker, rows in zip(TICKERS, statements):
    print(f"{ticker}: " + " → ".join(f"${row['revenue'] / 1e9:.1f}B" for row in rows))
