import asyncio
first = mcp__market__quote(ticker="A")
second = asyncio.create_task(mcp__market__quote(ticker="B"))
third = asyncio.wait_for(mcp__market__quote(ticker="C"), 5)
print((await first)["price"], (await second)["price"], (await third)["price"])
