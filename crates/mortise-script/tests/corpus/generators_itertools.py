import itertools as it, operator as op
print(list(it.chain.from_iterable([[1, 2], [3]])), list(it.islice(it.count(5, 5), 3)), list(it.pairwise("abcd")))
print(list(it.combinations("abc", 2)), list(it.product([0, 1], repeat=2)), len(list(it.permutations(range(5)))))
print(list(it.takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(it.dropwhile(lambda x: x < 3, [1, 2, 3, 1])))
print(list(it.zip_longest("ab", [1], fillvalue="-")), list(it.starmap(pow, [(2, 3), (3, 2)])), list(it.compress("abc", [1, 0, 1])))
print(list(it.accumulate([1, 2, 3, 4], op.mul)), [list(t) for t in it.tee(range(3))], list(it.filterfalse(str.isdigit, "a1b2")))
