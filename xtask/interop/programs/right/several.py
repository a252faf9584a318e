"""Right programs over several servers at once."""

#: weather into a file
import asyncio, json
cities = ("New York", "Chicago")
found = await asyncio.gather(*(mcp__everything__get_structured_content(location=city) for city in cities))
table = {city: weather["temperature"] for city, weather in zip(cities, found)}
await mcp__filesystem__write_file(path=f"{FOLDER}/weather.json", content=json.dumps(table))
print((await mcp__filesystem__read_text_file(path=f"{FOLDER}/weather.json"))["content"])

#: customers into a graph
customers = await mcp__shop__list_customers(country="NO")
await mcp__memory__create_entities(entities=[
    {"name": customer["name"], "entityType": "customer", "observations": customer["tags"]} for customer in customers
])
found = await mcp__memory__search_nodes(query="customer")
print(sorted(entity["name"] for entity in found["entities"]))

#: stock into a table
import ast
stock = await mcp__shop__stock()
await mcp__sqlite__create_table(query="create table stock(sku text, pieces integer)")
values = ", ".join(f"('{sku}', {pieces})" for sku, pieces in stock.items())
await mcp__sqlite__write_query(query=f"insert into stock values {values}")
rows = ast.literal_eval(await mcp__sqlite__read_query(query="select sku from stock where pieces = 0"))
print([row["sku"] for row in rows])

#: the time of an order elsewhere
order = await mcp__shop__get_order(order_id="O2")
answer = await mcp__time__convert_time(
    source_timezone="UTC", time=order["placed"][11:16], target_timezone="Asia/Tokyo"
)
print(order["placed"][11:16], "→", answer["target"]["datetime"][11:16])

#: a file of the repository beside its diff
import asyncio
diff, status = await asyncio.gather(
    mcp__git__git_diff_unstaged(repo_path=REPOSITORY), mcp__git__git_status(repo_path=REPOSITORY)
)
changed = [line.removeprefix("+++ b/") for line in diff.splitlines() if line.startswith("+++ ")]
print([name for name in changed if name in status])

#: limited concurrency
import asyncio
limit = asyncio.Semaphore(2)

async def limited(call):
    async with limit:
        return await call

answers = await asyncio.gather(
    limited(mcp__fastmcp__total(values=[1, 2])),
    limited(mcp__python_sdk__squares(count=2)),
    limited(mcp__shop__currency()),
)
print(answers)

#: a task group with one failure
import asyncio

async def kept(results, key, call):
    try:
        results[key] = await call
    except ToolError as error:
        results[key] = error.kind

results = {}
async with asyncio.TaskGroup() as group:
    group.create_task(kept(results, "currency", mcp__shop__currency()))
    group.create_task(kept(results, "refused", mcp__fastmcp__refuses(reason="no")))
    group.create_task(kept(results, "sum", mcp__everything__get_sum(a=1, b=1)))
print(dict(sorted(results.items())))

#: a pipeline of functions
from functools import reduce
steps = [str.strip, str.title, lambda text: text.replace(" ", "-")]
text = await mcp__fastmcp__plain(text="  mortise and tenon ")
print(reduce(lambda value, step: step(value), steps, text))

#: a main function
import asyncio

async def main() -> None:
    currency, products = await asyncio.gather(mcp__shop__currency(), mcp__shop__list_products())
    for product in products:
        print(f"{product['name']:.<20}{product['price']:>8.2f} {currency}")

await main()
