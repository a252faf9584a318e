import itertools
import re
from collections import Counter, OrderedDict, defaultdict

by_name = defaultdict(list)
by_name["a"].append(round(1.5, 2))
print(Counter(re.findall(r"\w+", "a b a")).most_common(2), re.sub("a", "b", "a"), OrderedDict(by_name))
print(list(itertools.accumulate([1, 2])), itertools.groupby([1], key=lambda n: n), list(itertools.chain([1], [2])))
