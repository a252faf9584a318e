class Board:
    def __init__(self, tasks: list[dict]):
        self.tasks: list[dict] = tasks
        self.by_id: dict[str, dict] = {t["id"]: t for t in tasks}

    def flag(self, tid: str, flag: str) -> None:
        self.by_id[tid]["flag"] = flag

    def flagged(self):
        return [t for t in self.tasks if "flag" in t]

tasks = (await mcp__board__list_tasks())["tasks"]
b = Board(tasks)
b.flag("K1", "red")
b.flag("K3", "blue")
print([(t["title"], t["flag"]) for t in b.flagged()])
for t in tasks:
    if t["id"] == "K1":
        print(t["flag"])
