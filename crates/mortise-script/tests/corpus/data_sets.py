orders = await mcp__shop__orders()
paid = {o["customer_id"] for o in orders if o["status"] == "paid"}
open_ = {o["customer_id"] for o in orders if o["status"] == "open"}
print(sorted(paid & open_), sorted(paid - open_), sorted(paid ^ open_), len(paid | open_), paid >= open_, paid.isdisjoint({99}))
print({1, 2} < {1, 2, 3}, frozenset([1]) in {frozenset([1])}, sorted({*range(5)} - {2}))
