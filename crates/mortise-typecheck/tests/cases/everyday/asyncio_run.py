import asyncio

async def main() -> None:
    w = await mcp__weather__get_weather(city="Lima")
    print(w["city"], w["wind"]["direction"])

asyncio.run(main())
