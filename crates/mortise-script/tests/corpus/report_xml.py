import xml.etree.ElementTree as ET
root = ET.Element("products", count="0")
for p in await mcp__shop__products(category="light"):
    e = ET.SubElement(root, "product", sku=p["sku"])
    ET.SubElement(e, "name").text = p["name"]
    ET.SubElement(e, "price").text = str(p["price"])
root.set("count", str(len(root)))
text = ET.tostring(root, encoding="unicode")
print(text)
again = ET.fromstring(text)
print([e.get("sku") for e in again.iter("product")], again.findtext("product[@sku='P003']/name"), sum(float(e.text) for e in again.iterfind("*/price")))
