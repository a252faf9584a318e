list_ = (await mcp__inventory__list_products())["products"]
id = list_[0]["id"]
type = "x"
input = {"product_id": id}
p = await mcp__inventory__get_product(**input)
print(p["name"], type)
sum = 0
for x in list_:
    sum += x["stock"]
print(sum)
