print(await mcp__market__history(ticker="A", limit="5", adjusted=1, tags='["a"]'))
print(await mcp__market__history(ticker="A", limit=5.0, adjusted="true"))
