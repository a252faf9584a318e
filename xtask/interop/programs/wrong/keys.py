"""Programs with one mistake each: keys and shapes of declared results."""

#: a key that a closed object has not
weather = await mcp__everything__get_structured_content(location="Chicago")
print(weather["temp"])

#: a misspelt key of a closed object
weather = await mcp__everything__get_structured_content(location="Chicago")
print(weather["humidty"])

#: a key in the wrong case
weather = await mcp__everything__get_structured_content(location="Chicago")
print(weather["Conditions"])

#: a key one level too high
graph = await mcp__memory__read_graph()
print(graph["name"])

#: a misspelt list
graph = await mcp__memory__read_graph()
for entity in graph["entitys"]:
    print(entity["name"])

#: a key of the entity that is called otherwise
graph = await mcp__memory__read_graph()
print([entity["type"] for entity in graph["entities"]])

#: observations in the singular
found = await mcp__memory__search_nodes(query="x")
for entity in found["entities"]:
    print(entity["observation"])

#: the end of a relation
graph = await mcp__memory__read_graph()
print([relation["target"] for relation in graph["relations"]])

#: a result taken for a list
graph = await mcp__memory__read_graph()
print(graph[0])

#: an object iterated as if it were the list in it
for entity in await mcp__memory__read_graph():
    print(entity["name"])

#: a list taken for an object
graph = await mcp__memory__read_graph()
print(graph["entities"]["tenon"])

#: attributes in place of keys
weather = await mcp__everything__get_structured_content(location="Chicago")
print(weather.temperature)

#: the text of a file taken for the result
text = await mcp__filesystem__read_text_file(path=f"{FOLDER}/joint.txt")
print(text.splitlines())

#: a file's text under another key
text = await mcp__filesystem__read_text_file(path=f"{FOLDER}/joint.txt")
print(text["text"])

#: a listing taken for a list
listing = await mcp__filesystem__list_directory(path=FOLDER)
for entry in listing["entries"]:
    print(entry)

#: names of a listing, whose content is a text
listing = await mcp__filesystem__list_directory(path=FOLDER)
print([entry["name"] for entry in listing["content"]])

#: the size of a file, which is in a text
info = await mcp__filesystem__get_file_info(path=f"{FOLDER}/joint.txt")
print(info["size"] + 1)

#: a tree that was not parsed
tree = await mcp__filesystem__directory_tree(path=FOLDER)
print(tree["content"]["children"])

#: a message that has another name
answer = await mcp__memory__delete_entities(entityNames=["x"])
print(answer["status"])

#: a number of thoughts that is not there
thought = await mcp__sequential_thinking__sequentialthinking(
    thought="t", nextThoughtNeeded=False, thoughtNumber=1, totalThoughts=1
)
print(thought["history"])

#: a key read with get that can't be there
weather = await mcp__everything__get_structured_content(location="Chicago")
print(weather["conditions"]["text"])

#: results read one level too deep
added = await mcp__memory__add_observations(observations=[{"entityName": "x", "contents": ["y"]}])
print(added["results"]["addedObservations"])

#: a list of numbers read as objects
squares = await mcp__python_sdk__squares(count=3)
print([square["value"] for square in squares])

#: a number that was unwrapped already
total = await mcp__fastmcp__total(values=[1, 2])
print(total["result"])

#: a list that was unwrapped already
readings = await mcp__fastmcp__readings(count=2)
print(readings["result"][0])

#: a string with keys
currency = await mcp__shop__currency()
print(currency["code"])

#: a page taken for its items
orders = await mcp__shop__list_orders()
print([order["id"] for order in orders])

#: the length of a number
total = await mcp__shop__order_total(order_id="O1")
print(len(total))

#: a list called like an object
customers = await mcp__shop__list_customers()
print(customers["items"])

#: a method of objects on a list
customers = await mcp__shop__list_customers()
for name, customer in customers.items():
    print(name)

#: a list that is appended to like a set
customers = await mcp__shop__list_customers()
customers.add("Eve")
print(len(customers))

#: a misspelt key of an open model
order = await mcp__shop__get_order(order_id="O1")
print(order["custumer_id"])

#: a key that no model of the shop has
order = await mcp__shop__get_order(order_id="O1")
print(order["total"])

#: a misspelt key in a nested model
order = await mcp__shop__get_order(order_id="O1")
print([line["qty"] for line in order["lines"]])

#: an unpacking of the wrong length
length, width = (await mcp__shop__list_products())[0]["size"]
print(length)

#: a date used as a date
order = await mcp__shop__get_order(order_id="O1")
print(order["placed"].year)
