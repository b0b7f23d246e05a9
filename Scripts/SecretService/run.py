# SPDX-License-Identifier: Apache-2.0
"""Runs groups of checks: run.py BUILD PLACES GROUPS, the last two separated by commas."""

import importlib
import multiprocessing
import os
import sys
import traceback

from checks import Checks
from service import PLACES, Service


def run_group(name, place, build, results):
    """Runs a group with a service of its own, in a process of its own: libraries connect once for a process."""
    checks = Checks(name, place)
    try:
        with Service(place, build) as service:
            os.environ.update(service.environment)
            try:
                group = importlib.import_module(name)
                if place in getattr(group, "PLACES", PLACES):
                    group.run(checks, service)
            except Exception:
                checks.note("the group ends", traceback.format_exc())
            if checks.failed and os.environ.get("VERBOSE"):
                print(service.log())
    except Exception:
        checks.note("the service starts and ends", traceback.format_exc())
    results.put((checks.passed, checks.failed, checks.absent))


def main():
    build, places, groups = sys.argv[1:4]
    context = multiprocessing.get_context("fork")
    lines, absent, failed = [], set(), 0
    for name in groups.split(","):
        for place in places.split(","):
            results = context.SimpleQueue()
            process = context.Process(target=run_group, args=(name, place, build, results))
            process.start()
            process.join()
            passed, missed, missing = results.get() if not results.empty() else (0, 1, [])
            failed += missed
            absent.update(missing)
            lines.append(f"{name:16} {place:6} {passed:4} passed {missed:4} failed")
            print(lines[-1], flush=True)
    print("\n" + "\n".join(lines))
    if absent:
        print("not here:", *sorted(absent))
    sys.exit(1 if failed else 0)


main()
