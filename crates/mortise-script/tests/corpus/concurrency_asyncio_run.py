import asyncio
async def main():
    rows, people = await asyncio.gather(mcp__shop__products(), mcp__hr__people())
    return len(rows), len(people)
if __name__ == "__main__":
    print(asyncio.run(main()))
    print(asyncio.run(mcp__echo__echo(x=[1, None])))
