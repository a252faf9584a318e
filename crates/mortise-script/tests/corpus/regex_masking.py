import re
for row in (await mcp__bank__transactions())["items"]:
    text = re.sub(r"\*\d{2}(\d{2})", r"**\1", row["description"])
    text = re.sub(r"(?i)\b(acme)\b", lambda m: m[1][0] + "***", text)
    print(row["id"], text)
