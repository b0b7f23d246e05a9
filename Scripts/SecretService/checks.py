# SPDX-License-Identifier: Apache-2.0
"""Counts checks by their groups, and says which ones failed."""

import os
import subprocess
import traceback


class Failure(Exception):
    """What a check expected, and what there was instead."""


def equal(found, expected):
    if found != expected:
        raise Failure(f"found {shorten(found)}, expected {shorten(expected)}")


def true(condition, text="it does not hold"):
    if not condition:
        raise Failure(text)


def shorten(value):
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:300]}… ({len(text)} characters)"


class Checks:
    """The checks of one group on one bus."""

    def __init__(self, group, place):
        self.name = f"{group} ({place})"
        self.passed, self.failed, self.absent = 0, 0, []

    def check(self, what, body, *arguments):
        """Carries out a check, which fails by any exception. Returns what it returns, and `None` if it fails."""
        try:
            result = body(*arguments)
        except Exception as error:
            self.note(what, "".join(traceback.format_exception_only(type(error), error)).strip())
            if os.environ.get("TRACE"):
                traceback.print_exc()
            return None
        self.passed += 1
        if os.environ.get("VERBOSE"):
            print(f"ok      {self.name}: {what}", flush=True)
        return result

    def note(self, what, why):
        """Notes that a check failed."""
        self.failed += 1
        print(f"FAILED  {self.name}: {what}", flush=True)
        for line in why.splitlines()[:20]:
            print(f"        {line}", flush=True)

    def miss(self, program):
        """Notes that a program is not installed."""
        self.absent.append(program)


class Outcome:
    """How a program has ended."""

    def __init__(self, status, output, errors):
        self.status, self.output, self.errors = status, output, errors

    def __eq__(self, other):
        return (self.status, self.output) == (other.status, other.output)

    def __repr__(self):
        return f"status {self.status}, output {shorten(self.output)}, errors {shorten(self.errors)}"


def run(words, environment, input=b"", timeout=60):
    """Runs a program to its end."""
    done = subprocess.run(words, env=environment, input=input, capture_output=True, timeout=timeout)
    return Outcome(done.returncode, done.stdout, done.stderr)


def done(output=b""):
    """The outcome of a program that has succeeded."""
    return Outcome(0, output, b"")


def refused(output=b"", status=1):
    """The outcome of a program that has found nothing."""
    return Outcome(status, output, b"")
