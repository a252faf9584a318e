"""Right programs over mcp-server-sqlite, whose rows are texts in the form that Python writes."""

#: rows read back as Python values
import ast
rows = ast.literal_eval(await mcp__sqlite__read_query(query="select id, name from joints order by id"))
print([row["name"] for row in rows])

#: a table made and filled
await mcp__sqlite__create_table(query="create table parts(name text, price real, stock integer)")
for name, price, stock in [("peg", 0.25, 400), ("wedge", 1.5, 12), ("bolt", 2.75, 0)]:
    answer = await mcp__sqlite__write_query(query=f"insert into parts values ('{name}', {price}, {stock})")
    print(name, answer)

#: a helper that returns rows
import ast

async def select(query: str) -> list[dict]:
    return ast.literal_eval(await mcp__sqlite__read_query(query=query))

print(await select("select count(*) as parts, sum(stock) as pieces from parts"))

#: rows sorted here and in the query
import ast
here = sorted(ast.literal_eval(await mcp__sqlite__read_query(query="select * from parts")), key=lambda row: row["price"])
there = ast.literal_eval(await mcp__sqlite__read_query(query="select * from parts order by price"))
print(here == there, [row["name"] for row in here])

#: columns of a table
import ast
columns = ast.literal_eval(await mcp__sqlite__describe_table(table_name="parts"))
print({column["name"]: column["type"] for column in columns})

#: all tables described at once
import ast, asyncio
tables = [row["name"] for row in ast.literal_eval(await mcp__sqlite__list_tables())]
described = await asyncio.gather(*(mcp__sqlite__describe_table(table_name=table) for table in tables))
print({table: len(ast.literal_eval(text)) for table, text in zip(tables, described)})

#: a mistake in the query is a text
answer = await mcp__sqlite__read_query(query="select nothing from nowhere")
print(answer.startswith("Database error"), answer.split(":")[0])

#: the value of the stock, to the cent
import ast
from decimal import Decimal
rows = ast.literal_eval(await mcp__sqlite__read_query(query="select price, stock from parts"))
print(sum((Decimal(str(row["price"])) * row["stock"] for row in rows), Decimal(0)))

#: null is None
import ast
rows = ast.literal_eval(await mcp__sqlite__read_query(query="select null as empty, 1 as one"))
print(rows[0]["empty"] is None, rows[0]["one"] + 1)

#: an update and how many rows it changed
import re
answer = await mcp__sqlite__write_query(query="update parts set stock = stock + 1 where stock < 100")
print(int(re.findall(r"\d+", answer)[0]))

#: a table printed in columns
import ast
rows = ast.literal_eval(await mcp__sqlite__read_query(query="select name, stock from parts order by name"))
width = max(len(row["name"]) for row in rows)
print("\n".join(f"{row['name']:<{width}}  {row['stock']:>4}" for row in rows))

#: batches through one generator
import ast

async def batches(size):
    offset, full = 0, True
    while full:
        query = f"select name from parts order by name limit {size} offset {offset}"
        rows = ast.literal_eval(await mcp__sqlite__read_query(query=query))
        yield [row["name"] for row in rows]
        offset, full = offset + size, len(rows) == size

async for batch in batches(2):
    print(batch)

#: statistics
import ast, statistics
prices = [row["price"] for row in ast.literal_eval(await mcp__sqlite__read_query(query="select price from parts"))]
print(statistics.mean(prices), statistics.median(prices))

#: only queries that read are read
answer = await mcp__sqlite__read_query(query="delete from parts")
print("SELECT" in answer)

#: a join of a table with a dict
import ast
makers = {"peg": "Ada", "bolt": "Bo"}
rows = ast.literal_eval(await mcp__sqlite__read_query(query="select name from parts order by name"))
print([(row["name"], makers.get(row["name"], "unknown")) for row in rows])

#: an insight is kept
print(await mcp__sqlite__append_insight(insight="bolts sell out"))
