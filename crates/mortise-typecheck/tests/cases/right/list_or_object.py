page = await mcp__crm__customers(city="Oslo")
first = page[0] if isinstance(page, list) else page["customers"][0]
print(first["name"])
try:
    print(page[0])
except KeyError:
    print("none")
quote = await mcp__market__quote(ticker="A")
print(list(quote)[0], list(quote.items())[:2], sorted(quote)[-1])
