from string import Template
t = Template("Dear $name,\nyou owe ${amount} EUR. Cost: $$5")
print(t.substitute(name="Anna", amount="12.50"))
print(t.safe_substitute(name="Anna"))
print("{:>8}|{:<8}|{:^8}|{:+d}|{:08.3f}|{:,}|{:.2%}|{:x}|{:b}|{:e}".format("a", "b", "c", 5, 3.14159, 1234567, 0.256, 255, 5, 12345.678))
name, value = "pi", 3.14159265
print(f"{name!r:>10} {value:.3f} {value=:.2f} {'nested ' + name:*^15}")
print("%s is %d years and %.1f%% done %5s|%-5s|%05d" % ("Bob", 42, 99.5, "a", "b", 7))
