class Job:
    pending = mcp__market__quote(ticker="A")
print((await Job.pending)["price"])
