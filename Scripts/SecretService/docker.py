# SPDX-License-Identifier: Apache-2.0
"""docker-credential-secretservice, as Docker's client calls it."""

import json
import shutil

from checks import equal, run as run_program, true

PROGRAM = "docker-credential-secretservice"
MISS = "credentials not found in native keychain"


def run(checks, service):
    if shutil.which(PROGRAM, path=service.environment["PATH"]) is None:
        checks.miss(PROGRAM)
        return
    check = checks.check

    def helper(operation, text=""):
        outcome = run_program([PROGRAM, operation], service.environment, text.encode())
        return outcome.status, outcome.output.decode().strip()

    def store(url, user, secret):
        equal(helper("store", json.dumps({"ServerURL": url, "Username": user, "Secret": secret})), (0, ""))

    def get(url, user, secret):
        status, text = helper("get", url)
        equal(status, 0)
        equal(json.loads(text), {"ServerURL": url, "Username": user, "Secret": secret})

    hub, local = "https://index.docker.io/v1/", "registry.example:5000"
    check("a miss", lambda: equal(helper("get", hub), (1, MISS)))
    check("an empty list", lambda: equal(helper("list"), (0, "{}")))
    check("stores", store, hub, "anna", "s3cret")
    check("reads", get, hub, "anna", "s3cret")
    check("stores for a host with a port", store, local, "bert", "pässwörd")
    check("reads it", get, local, "bert", "pässwörd")
    check("lists both", lambda: equal(json.loads(helper("list")[1]), {hub: "anna", local: "bert"}))
    check("stores again", store, hub, "anna", "another")
    check("reads the new one", get, hub, "anna", "another")
    check("a token", lambda: (store("token.example", "<token>", "t" * 5000), get("token.example", "<token>", "t" * 5000)))
    check("erases", lambda: equal(helper("erase", hub), (0, "")))
    check("it is gone", lambda: equal(helper("get", hub), (1, MISS)))
    check("the others are there", lambda: true(set(json.loads(helper("list")[1])) == {local, "token.example"}))
