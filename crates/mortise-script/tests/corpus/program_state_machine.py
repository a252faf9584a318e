from enum import Enum
class State(Enum):
    NEW, PAID, SHIPPED, DONE = range(4)
moves = {State.NEW: {"pay": State.PAID}, State.PAID: {"ship": State.SHIPPED, "refund": State.NEW}, State.SHIPPED: {"receive": State.DONE}}
def run(events):
    state, history = State.NEW, []
    for event in events:
        try:
            state = moves[state][event]
        except KeyError:
            return f"{event!r} not possible in {state.name}"
        history.append(state.name)
    return " > ".join(history)
for events in (["pay", "ship", "receive"], ["ship"], ["pay", "refund", "pay"], []):
    print(run(events) or "(nothing)")
