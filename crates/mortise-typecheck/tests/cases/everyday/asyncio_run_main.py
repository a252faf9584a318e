import asyncio
import sys

async def main():
    w = await mcp__weather__get_weather(city="Oslo")
    print(w["city"])
    return 0

if __name__ == "__main__":
    await main()
    print(sys.argv[1:] if len(sys.argv) > 1 else "no args")
