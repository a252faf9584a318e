print(await mcp__notes__save(title="t", body="b", colour="red", tags=["x"]))
