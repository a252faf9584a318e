import tomllib, configparser
config = tomllib.loads("""
title = "demo"
[server]
ports = [8000, 8001]
when = 2026-01-02T03:04:05Z
limits.memory = 0.5
[[users]]
name = "ada"
[[users]]
name = "bob"
""")
print(config["server"]["ports"], config["server"]["when"].isoformat(), config["server"]["limits"], [u["name"] for u in config["users"]])
ini = configparser.ConfigParser()
ini.read_string("[a]\nx = 1\nflag = yes\n[b]\ny = ${x}\n")
print(ini.sections(), ini.getint("a", "x"), ini["a"].getboolean("flag"), ini.get("b", "y"), ini.get("b", "z", fallback="none"))
