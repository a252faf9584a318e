import asyncio
quotes = await asyncio.gather(mcp__market__quote(ticker="A"), mcp__market__quote(ticker="B"), return_exceptions=True)
for quote in quotes:
    fine = isinstance(quote, dict)
    print(quote["price"] if fine else quote.args)
    if not isinstance(quote, dict):
        print("failed", quote.args)
for error in list(filter(lambda quote: isinstance(quote, Exception), quotes)):
    print(error.args)
