"""Programs with one mistake each: names and arguments of calls."""

#: a tool that does not exist
print(await mcp__time__now(timezone="UTC"))

#: a misspelt tool
print(await mcp__everything__get_structured_contents(location="Chicago"))

#: a server that does not exist
print(await mcp__weather__get(city="Oslo"))

#: a tool in the wrong case
print(await mcp__shop__List_Customers())

#: a dash in place of an underscore
print(await mcp__everything__getSum(a=1, b=2))

#: a required argument left out
print(await mcp__time__convert_time(source_timezone="UTC", time="12:00"))

#: all arguments left out
print(await mcp__filesystem__read_text_file())

#: a misspelt argument
print(await mcp__time__get_current_time(timezon="UTC"))

#: an argument of another tool
print(await mcp__shop__get_order(customer_id=1))

#: positional arguments
print(await mcp__time__get_current_time("UTC"))

#: two positional arguments
print(await mcp__everything__get_sum(1, 2))

#: a number for a text
print(await mcp__everything__echo(message=42))

#: a text for a number
print(await mcp__shop__get_customer(customer_id="one"))

#: a text for a list
print(await mcp__memory__open_nodes(names="tenon"))

#: a list for a text
print(await mcp__memory__search_nodes(query=["tenon"]))

#: a value that is not in the enumeration
print(await mcp__everything__get_structured_content(location="Boston"))

#: a status that does not exist
print(await mcp__shop__list_orders(status="cancelled"))

#: a country that is not served
print(await mcp__shop__list_customers(country="FR"))

#: a number beyond its maximum
print(await mcp__shop__list_orders(size=500))

#: a number below its minimum
print(await mcp__shop__find(query="a", limit=0))

#: more days than a month has
print(await mcp__shop__sales_report(days=90))

#: None where a text is required
print(await mcp__everything__echo(message=None))

#: a boolean as a text
print(await mcp__python_sdk__maybe(give="yes"))

#: an object without a required key
print(await mcp__python_sdk__midpoint(a={"x": 1}, b={"x": 1, "y": 2}))

#: an object with a misspelt key
await mcp__memory__create_relations(relations=[{"from": "a", "target": "b", "relationType": "is"}])

#: a list of texts where objects are wanted
await mcp__memory__create_entities(entities=["tenon"])

#: one object where a list is wanted
await mcp__memory__create_entities(entities={"name": "t", "entityType": "k", "observations": []})

#: a text where a list of texts is wanted, inside
await mcp__memory__create_entities(entities=[{"name": "t", "entityType": "k", "observations": "fits"}])

#: an argument that the tool does not take
print(await mcp__shop__order_total(order_id="O1", currency="EUR"))

#: an argument given twice, once in a dict
arguments = {"order_id": "O1"}
print(await mcp__shop__order_total(order_id="O2", **arguments))

#: a float where an integer is wanted
print(await mcp__python_sdk__squares(count=2.5))

#: a list of texts where numbers are wanted
print(await mcp__fastmcp__total(values=["1", "2"]))

#: a result given where a text is wanted
order = await mcp__shop__get_order(order_id="O1")
print(await mcp__shop__order_total(order_id=order))

#: an id of the wrong type out of a result
order = await mcp__shop__get_order(order_id="O1")
print(await mcp__shop__order_total(order_id=order["customer_id"]))

#: edits as one object
await mcp__filesystem__edit_file(path=f"{FOLDER}/joint.txt", edits={"oldText": "a", "newText": "b"})

#: a file without its content
await mcp__filesystem__write_file(path=f"{FOLDER}/x.txt")

#: an order of a list that does not exist
print(await mcp__filesystem__list_directory_with_sizes(path=FOLDER, sortBy="date"))

#: a message type that does not exist
print(await mcp__everything__get_annotated_message(messageType="warning"))

#: files as one text
print(await mcp__git__git_add(repo_path=REPOSITORY, files="joint.txt"))

#: a count as a text
print(await mcp__git__git_log(repo_path=REPOSITORY, max_count="5"))

#: a repository left out
print(await mcp__git__git_status())

#: a table under another name
print(await mcp__sqlite__describe_table(table="joints"))

#: a query left out
print(await mcp__sqlite__read_query())

#: a tool of another server
print(await mcp__memory__read_text_file(path="x"))
