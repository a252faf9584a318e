import asyncio, sys
async def main() -> None:
    w = await mcp__weather__get_weather(city=sys.argv[1] if len(sys.argv) > 1 else "Oslo")
    print(w["city"])
if __name__ == "__main__":
    asyncio.run(main())
