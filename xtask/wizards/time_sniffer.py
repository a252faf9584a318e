"""Sniffs a file again and again with DuckDB and prints the nanoseconds of each time.

usage: time_sniffer.py FILE ROWS LOOPS
"""

import json
import sys
import time

import duckdb

path, rows, loops = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
connection = duckdb.connect()
times = []
for _ in range(loops):
    started = time.perf_counter_ns()
    connection.execute("SELECT Columns FROM sniff_csv(?, sample_size=?)", [path, rows]).fetchall()
    times.append(time.perf_counter_ns() - started)
print(json.dumps(times))
