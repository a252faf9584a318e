"""What DuckDB's sniffer and frictionless say about files: one line of JSON for each file.

usage: references.py FOLDER FILE...
"""

import json
import logging
import os
import pathlib
import sys

import duckdb
import frictionless

logging.disable(logging.CRITICAL)

DUCKDB = {
    "BIGINT": "integer",
    "HUGEINT": "integer",
    "UHUGEINT": "integer",
    "UBIGINT": "integer",
    "INTEGER": "integer",
    "DOUBLE": "float",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP WITH TIME ZONE": "timestamp",
    "TIMESTAMP_NS": "timestamp",
    "TIME": "time",
    "VARCHAR": "string",
}
FRICTIONLESS = {"number": "float", "datetime": "timestamp", "year": "integer", "any": "string"}


def by_duckdb(path):
    try:
        found = duckdb.execute("SELECT Delimiter, HasHeader, Columns FROM sniff_csv(?)", [str(path)]).fetchone()
    except duckdb.Error as error:
        return {"error": str(error).splitlines()[0]}
    delimiter, has_header, columns = found
    columns = [{"name": column["name"], "type": DUCKDB.get(column["type"], column["type"])} for column in columns]
    return {"delimiter": delimiter, "has_header": has_header, "columns": columns}


def by_frictionless(path):
    try:
        described = frictionless.describe(str(path), type="resource")
        fields = described.to_dict()["schema"]["fields"]
    except Exception as error:
        return {"error": str(error).splitlines()[0]}
    return {"columns": [{"name": field["name"], "type": FRICTIONLESS.get(field["type"], field["type"])} for field in fields]}


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])

    # frictionless takes relative paths alone.
    os.chdir(folder)
    for name in sys.argv[2:]:
        print(json.dumps({"file": name, "duckdb": by_duckdb(name), "frictionless": by_frictionless(name)}), flush=True)
