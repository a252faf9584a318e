import importlib.util
if importlib.util.find_spec("pandas"):
    import pandas as pd
else:
    pd = None
rows = (await mcp__board__list_tasks())["tasks"]
print(pd.DataFrame(rows) if pd else len(rows))
