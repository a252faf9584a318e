data = [3, 1, 2]
assert sorted(data) == [1, 2, 3], "sorted"
assert data[0] == min(data), f"first is {data[0]}, smallest {min(data)}"
