from itertools import accumulate
prices = await mcp__finance__prices(ticker="MSFT")
volumes = [p["volume"] for p in prices]
for day, total in zip((p["date"] for p in prices), accumulate(volumes)):
    print(day, f"{total:,}")
print(list(accumulate([3, 1, 4, 1, 5], max)))
