"""Validates each case with a compiled jsonschema validator and prints nanoseconds for one validation:
over the first results after compiling, and in a long loop."""

import json
import sys
import time

from jsonschema.validators import validator_for

RESULTS = 100  # as many as a session may see of one tool
TIME = 50_000_000  # nanoseconds for each case


def check(validator, instance):
    if not validator.is_valid(instance):
        raise SystemExit("a valid instance was refused")


def first(validator, instance):
    start = time.perf_counter_ns()
    for _ in range(RESULTS):
        check(validator, instance)
    return (time.perf_counter_ns() - start) / RESULTS


def steady(validator, instance):
    count, start = 0, time.perf_counter_ns()
    now = start
    while now < start + TIME:
        check(validator, instance)
        count += 1
        now = time.perf_counter_ns()
    return (now - start) / count


times = {}
with open(sys.argv[1]) as file:
    cases = json.load(file)
for case in cases:
    validator = validator_for(case["schema"])(case["schema"])
    few = first(validator, case["instance"])
    times[case["name"]] = {"first": few, "steady": steady(validator, case["instance"])}
print(json.dumps(times))
