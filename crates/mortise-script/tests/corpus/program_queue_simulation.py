import heapq, random
random.seed(11)
clock, queue, served, busy_until = 0.0, [], 0, 0.0
waits = []
for n in range(50):
    clock += random.expovariate(1.0)
    heapq.heappush(queue, (clock, n))
while queue:
    arrival, n = heapq.heappop(queue)
    start = max(arrival, busy_until)
    waits.append(start - arrival)
    busy_until = start + random.uniform(0.3, 1.2)
    served += 1
print(served, round(max(waits), 4), round(sum(waits) / served, 4), round(busy_until, 4))
