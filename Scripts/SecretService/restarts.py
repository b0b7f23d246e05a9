# SPDX-License-Identifier: Apache-2.0
"""Ends of the service, asked for or not: what was acknowledged is there afterwards."""

import contextlib
import os
import random
import signal
import subprocess
import threading

from checks import equal, run as run_program, true
from client import DBUS_ERROR, ERROR, LOGIN, SERVICE, SESSION, CallError, Client
from service import wait
from specification import raises

PLACES = ("own", "dbus")


def run(checks, service):
    check = checks.check
    kept = {}

    def store():
        with Client(service) as client:
            coding = client.open_encrypted()
            for number in range(5):
                item = client.create(coding, {"restarts": str(number)}, f"secret {number}".encode(), f"label {number}", kind="a/b")
                kept[item] = (number, client.get(item, "Item", "Created"))
            client.create(coding, {"restarts": "memory"}, at=SESSION)

    def is_kept():
        with Client(service) as client:
            coding = client.open_encrypted()
            for item, (number, created) in kept.items():
                equal(client.secret(item, coding), (f"secret {number}".encode(), "a/b"))
                equal(client.get(item, "Item", "Label"), f"label {number}")
                equal(client.get(item, "Item", "Attributes"), {"restarts": str(number)})
                equal(client.get(item, "Item", "Created"), created)

    check("items are stored", store)
    check("SIGTERM ends the service well", lambda: equal(service.stop(), 0))
    check("it starts again, unlocked", service.start)
    check("items are at their paths", is_kept)
    check("what was in memory is gone", lambda: with_client(service, lambda client: equal(client.search({"restarts": "memory"}), ([], []))))

    def session_is_gone():
        with Client(service) as client:
            session = client.open_plain().path
            service.stop()
            service.start()
            # On our own bus, the connection ends with the service, too.
            with Client(service) if service.place == "own" else contextlib.nullcontext(client) as later:
                raises(f"{ERROR}.NoSession", later.call, next(iter(kept)), "Item", "GetSecret", "o", session)

    check("a session ends with the service", session_is_gone)

    def killed():
        service.stop(signal.SIGKILL)
        service.start()
        is_kept()

    check("kill -9 loses nothing", killed)

    def locked_start():
        with Client(service) as client:
            client.call(SERVICE, "Service", "Lock", "ao", [LOGIN])
        service.stop(signal.SIGKILL)
        service.start()
        is_kept()

    check("a locked service starts unlocked", locked_start)
    if service.place == "dbus":
        check("a second service waits for the name", second, service)
    rounds = int(os.environ.get("SECRET_SERVICE_KILLS", "5"))
    check(f"{rounds} times kill -9 lose no acknowledged write", kills, service, rounds)
    check("the keychain is sound", lambda: equal(run_program(["keychainctl", "check"], service.environment).status, 0))


def with_client(service, body):
    with Client(service) as client:
        body(client)


def second(service):
    words = [service.build / "keychaind", "--foreground", "--secret-service"]
    folder = service.folder / "second"
    folder.mkdir(mode=0o700)
    environment = dict(service.environment, SWIFT_KEYCHAIN_HOME=str(folder))
    with open(service.folder / "second.log", "wb") as log:
        process = subprocess.Popen(words, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        wait(lambda: str(service.daemon.pid) in (service.folder / "second.log").read_text())
        service.stop()
        wait(service_serves(service))
    finally:
        process.terminate()
        equal(process.wait(timeout=20), 0)
    service.start()


def service_serves(service):
    def serves():
        try:
            with_client(service, lambda client: client.ping())
            return True
        except (CallError, OSError):
            return False
    return serves


def kills(service, rounds):
    """Stores, changes, replaces and deletes until the service is killed, and compares with what it has acknowledged."""
    chance = random.Random(int(os.environ.get("SECRET_SERVICE_SEED", "1")))
    # By names: the secret that was acknowledged, and those that an unanswered call may have left.
    expected, counted = {}, 0
    for number in range(rounds):
        timer = threading.Timer(chance.uniform(0.02, 0.4), service.daemon.kill)
        timer.start()
        counted += write(service, chance, number, expected)
        timer.join()
        service.daemon.wait()
        service.start()
        compare(service, expected)
        if len(expected) > 60:
            expected = forget(service, expected)
    true(counted >= rounds, f"only {counted} writes were acknowledged")
    print(f"        {counted} writes were acknowledged in {rounds} rounds", flush=True)


def write(service, chance, number, expected):
    counted, client = 0, None
    try:
        client = Client(service)
        coding = client.open_plain()
        while True:
            kind = chance.choice(["create", "replace", "change", "delete"])
            name = f"{number} {counted}" if kind == "create" or not expected else chance.choice(sorted(expected))
            new = f"{name} {chance.random()}".encode()
            before = expected.get(name, (None,))
            found = client.search({"kill": name})[0]
            if kind == "delete":
                expected[name] = before + (None,)
                for item in found:
                    client.call(item, "Item", "Delete")
                expected[name] = (None,)
            elif kind == "change" and found:
                expected[name] = before + (new,)
                client.call(found[0], "Item", "SetSecret", "(oayays)", coding.encode(new))
                expected[name] = (new,)
            else:
                expected[name] = before + (new,)
                client.create(coding, {"kill": name}, new, replace=True)
                expected[name] = (new,)
            counted += 1
    except CallError as error:
        # Any other error is an answer of the service.
        true(error.name in {f"{DBUS_ERROR}.{name}" for name in ("NoReply", "Disconnected", "ServiceUnknown")}, str(error))
    except (OSError, EOFError):
        pass
    finally:
        if client:
            client.close()
    return counted


def compare(service, expected):
    with Client(service) as client:
        coding = client.open_plain()
        for name, secrets in expected.items():
            items = client.search({"kill": name})[0]
            true(len(items) <= 1, f"{len(items)} items for {name!r}")
            found = client.secret(items[0], coding)[0] if items else None
            true(found in secrets, f"{name!r} is {found!r}, and one of {secrets!r} was expected")
            expected[name] = (found,)


def forget(service, expected):
    with Client(service) as client:
        for name in expected:
            for item in client.search({"kill": name})[0]:
                client.call(item, "Item", "Delete")
    return {}
