"""Parses stubs with CPython and writes them as files for a type checker.

Arguments: a file of answers, one JSON object a line, and a folder. Prints how many there are.
"""

import ast
import json
import re
import sys
from pathlib import Path

answers, folder = Path(sys.argv[1]), Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
count = 0
for at, line in enumerate(answers.read_text(encoding="utf-8").splitlines()):
    text = json.loads(line)["python"]
    # Older Pythons know no `type` statement; everything else is the same to them.
    known = text if sys.version_info >= (3, 12) else re.sub(r"(?m)^type (\w+) = ", r"\1 = ", text)
    try:
        ast.parse(known)
    except SyntaxError as error:
        sys.exit(f"{error}\n{text}")
    (folder / f"case{at}.pyi").write_text(text, encoding="utf-8")
    count += 1
print(count)
