import cmath, random
print((1 + 2j) * (3 - 1j), abs(3 + 4j), (2j).conjugate(), complex("1+2j"), cmath.sqrt(-4))
random.seed(42)
print(random.random(), random.randint(1, 100), random.choice("abcdef"), random.sample(range(50), 4))
items = list(range(8))
random.shuffle(items)
print(items, round(random.gauss(0, 1), 6), random.choices("xy", weights=[3, 1], k=6), random.uniform(1, 2))
r = random.Random("seed text")
print(r.randrange(10 ** 9), r.getrandbits(40))
