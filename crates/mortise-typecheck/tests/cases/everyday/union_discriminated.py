page = await mcp__board__events()
total = 0.0
users = set()
for e in page["events"]:
    if e["kind"] == "sale":
        total += e["amount"]
    elif e["kind"] == "login":
        users.add(e["user"])
print(total, users)
sales = [e["amount"] for e in page["events"] if e["kind"] == "sale"]
logins = [e["user"] for e in page["events"] if "user" in e]
print(sum(sales), logins)
for e in page["events"]:
    match e:
        case {"kind": "sale", "amount": a}:
            print("sale", a)
        case {"kind": "login", "user": u}:
            print("login", u)
    match e["kind"]:
        case "sale":
            print(e["amount"])
        case "login":
            print(e["user"])
one = (await mcp__board__event())["event"]
handlers = {"sale": lambda e: e["amount"], "login": lambda e: e["user"]}
print(handlers[one["kind"]](one))
kind = one["kind"]
if kind == "sale":
    print(one["amount"])
else:
    print(one["user"])
