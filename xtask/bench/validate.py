"""Validates each case with a jsonschema validator and prints nanoseconds for one validation: over the first
results after it was made, in a long loop, and in a long loop from the text of the whole result."""

import json
import statistics
import sys
import time

from jsonschema.validators import validator_for

RESULTS = 100  # as many as a session may see of one tool
BATCH = 500_000  # nanoseconds, about: short enough that others seldom interrupt
BATCHES = 101


def timed(count, check):
    start = time.perf_counter_ns()
    for _ in range(count):
        if not check():
            raise SystemExit("a valid instance was refused")
    return (time.perf_counter_ns() - start) / count


def steady(check):
    """The median over many short batches; nothing warms up here, so none are left out."""
    count = max(1, round(BATCH / timed(3, check)))
    return statistics.median(timed(count, check) for _ in range(BATCHES))


def measure(schema, instance):
    validator = validator_for(schema)(schema)
    text = json.dumps({"content": [], "structuredContent": instance}, separators=(",", ":"), ensure_ascii=False)

    def parsed():
        return validator.is_valid(instance)

    def whole():
        return validator.is_valid(json.loads(text)["structuredContent"])

    return {"first": timed(RESULTS, parsed), "steady": steady(parsed), "whole": steady(whole)}


with open(sys.argv[1]) as file:
    cases = json.load(file)
print(json.dumps({case["name"]: measure(case["schema"], case["instance"]) for case in cases}))
