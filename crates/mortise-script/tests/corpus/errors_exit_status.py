import sys
people = await mcp__hr__people(team="nothing")
if not people:
    print("no people", file=sys.stderr)
    sys.exit(3)
