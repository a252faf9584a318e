"""The programs of the benchmark, for gateways that run Python and for those that run JavaScript.

Each body leaves its answer in `answer`. A gateway's dialect says what `twice` and `table` are and
how the answer leaves the program.
"""

PYTHON = {
    "first": "answer = (await twice(n=21))['value']",
    "trivial": "answer = 6 * 7",
    "sequential": """
answer = 0
for n in range(100):
    answer += (await twice(n=n))['value']
""",
    "concurrent": """
import asyncio
results = await asyncio.gather(*[twice(n=n) for n in range(100)])
answer = sum([one['value'] for one in results])
""",
    "rows": """
totals = {}
for row in (await table(count=1000))['rows']:
    if row['units'] > 1:
        totals[row['region']] = totals.get(row['region'], 0) + row['amount']
answer = ' '.join([f'{region}={totals[region]}' for region in sorted(totals)])
""",
}

JAVASCRIPT = {
    "first": "const answer = (await twice({ n: 21 })).value;",
    "trivial": "const answer = 6 * 7;",
    "sequential": """
let answer = 0;
for (let n = 0; n < 100; n++) answer += (await twice({ n })).value;
""",
    "concurrent": """
const results = await Promise.all(Array.from({ length: 100 }, (_, n) => twice({ n })));
const answer = results.reduce((sum, one) => sum + one.value, 0);
""",
    "rows": """
const totals = {};
for (const row of (await table({ count: 1000 })).rows) {
  if (row.units > 1) totals[row.region] = (totals[row.region] ?? 0) + row.amount;
}
const answer = Object.keys(totals).sort().map((region) => `${region}=${totals[region]}`).join(" ");
""",
}

# The tool that runs a program, what comes before the body, and what after it.
DIALECTS = {
    "mortise": ("execute_program", PYTHON, "twice, table = mcp__bench__twice, mcp__bench__table", "print(answer)"),
    "fastmcp": (
        "execute",
        PYTHON,
        "def twice(n):\n    return call_tool('twice', {'n': n})\n"
        "def table(count):\n    return call_tool('table', {'count': count})",
        "return answer",
    ),
    "utcp": ("execute", JAVASCRIPT, "const { up_twice: twice, up_table: table } = bench;", "return answer;"),
    "vercel": ("execute", JAVASCRIPT, "const { twice, table } = tools;", "return answer;"),
    "cloudflare": ("execute", JAVASCRIPT, "async () => {\nconst { twice, table } = codemode;", "return answer;\n}"),
}


def program(dialect, name):
    """The tool to call and the program's text."""
    tool, bodies, before, after = DIALECTS[dialect]
    return tool, "\n".join((before, bodies[name].strip("\n"), after))
