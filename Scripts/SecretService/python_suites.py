# SPDX-License-Identifier: Apache-2.0
"""The test suites of SecretStorage and of Python's keyring, from their source distributions."""

import os
import pathlib
import re
import sys

from checks import run as run_program


def run(checks, service):
    folder = pathlib.Path(os.environ["SECRET_SERVICE_SOURCES"])
    suites = {
        "SecretStorage": (folder.glob("secretstorage-*/"), ["tests"]),
        "keyring": (folder.glob("keyring-*/"), ["tests/backends/test_SecretService.py", "tests/backends/test_libsecret.py"]),
    }
    for name, (places, files) in suites.items():
        place = next((place for place in places if place.is_dir()), None)
        if place is None:
            checks.miss(f"the sources of {name}")
            continue
        words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--tb=line", "--rootdir", str(place)]
        environment = dict(service.environment, PYTHONPATH=str(place), COLUMNS="300")
        outcome = run_program(words + [str(place / file) for file in files], environment, timeout=300)
        lines = outcome.output.decode(errors="replace").splitlines()
        for line in lines:
            found = re.match(r"(PASSED|FAILED|ERROR) (\S+)", line)
            if found is None:
                continue
            test = f"{name}: {found[2].split('::', 1)[-1]}"
            if found[1] == "PASSED":
                checks.check(test, lambda: None)
            else:
                checks.note(test, line)
        if outcome.status not in (0, 1):
            checks.note(f"the suite of {name} ends", "\n".join(lines[-20:]) + outcome.errors.decode(errors="replace"))
