import heapq
graph = {"A": {"B": 4, "C": 1}, "B": {"D": 1}, "C": {"B": 2, "D": 5}, "D": {"E": 3}, "E": {}}
def dijkstra(start):
    best, queue, via = {start: 0}, [(0, start)], {}
    while queue:
        cost, node = heapq.heappop(queue)
        if cost > best[node]:
            continue
        for other, weight in graph[node].items():
            if cost + weight < best.get(other, float("inf")):
                best[other], via[other] = cost + weight, node
                heapq.heappush(queue, (cost + weight, other))
    return best, via
best, via = dijkstra("A")
path, node = ["E"], "E"
while node in via:
    node = via[node]
    path.append(node)
print(best, " > ".join(reversed(path)))
