from dataclasses import dataclass


@dataclass
class BoardListTasksResultTasksItem:
    id: str
    title: str
    label: str = "x"


page = await mcp__board__list_tasks()


def convert(task):
    return BoardListTasksResultTasksItem(task["id"], task["title"])


def show(task):
    return task.label


for task in page["tasks"]:
    converted = convert(task)
    print(show(converted), converted.title)
