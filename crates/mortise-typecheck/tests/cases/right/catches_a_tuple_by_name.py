ERRORS = (KeyError, TypeError)
quote = await mcp__market__quote(ticker="A")
try:
    print(quote["prize"])
except ERRORS:
    print("none")
