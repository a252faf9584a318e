# Changes something: restocks what runs low and says what it did, as text and as a result.
low = (await mcp__inventory__list_products(stock_at_most=15))["products"]
done = []
for product in low:
    after = await mcp__inventory__restock(product_id=product["id"], quantity=20)
    done.append({"id": after["id"], "before": product["stock"], "after": after["stock"]})
print(f"restocked {len(done)} of {len((await mcp__inventory__list_products())['products'])} products")
emit(done)
