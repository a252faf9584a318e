import argparse, sys
def parse(argv):
    parser = argparse.ArgumentParser(prog="totals")
    parser.add_argument("--status", default="paid", choices=["paid", "open"])
    parser.add_argument("--top", type=int, default=2)
    return parser.parse_args(argv)
async def main(args):
    orders = await mcp__shop__orders(status=args.status)
    totals = sorted(((sum(i["price"] * i["quantity"] for i in o["items"]), o["id"]) for o in orders), reverse=True)
    for total, id in totals[:args.top]:
        print(id, f"{total:.2f}")
if __name__ == "__main__":
    await main(parse(sys.argv[1:]))
    await main(parse(["--status", "open", "--top", "1"]))
