"""Validates each case with a compiled jsonschema validator and prints nanoseconds for one validation."""

import json
import sys
import time

from jsonschema.validators import validator_for

TIME = 50_000_000  # nanoseconds for each case


def measure(validator, instance):
    count, start = 0, time.perf_counter_ns()
    now = start
    while now < start + TIME:
        if not validator.is_valid(instance):
            raise SystemExit("a valid instance was refused")
        count += 1
        now = time.perf_counter_ns()
    return (now - start) / count


times = {}
with open(sys.argv[1]) as file:
    cases = json.load(file)
for case in cases:
    validator = validator_for(case["schema"])(case["schema"])
    measure(validator, case["instance"])
    times[case["name"]] = measure(validator, case["instance"])
print(json.dumps(times))
