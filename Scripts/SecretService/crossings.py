# SPDX-License-Identifier: Apache-2.0
"""What one side stores, the other finds: programs of the bus, and `security`."""

import os

from checks import equal, run as run_program, true
from client import LOGIN, Client
from service import PASSCODE

PLACES = ("own", "dbus")


def run(checks, service):
    check, environment = checks.check, service.environment

    def program(*words, input=b""):
        return run_program(words, environment, input)

    def security(*words):
        return program("security", *words)

    def store(secret, *attributes):
        equal(program("secret-tool", "store", "--label=label", *attributes, input=secret).status, 0)

    def lookup(*attributes):
        outcome = program("secret-tool", "lookup", *attributes)
        return outcome.output if outcome.status == 0 else None

    def find(service_name, account):
        outcome = security("find-generic-password", "-s", service_name, "-a", account, "-w")
        return outcome.output.rstrip(b"\n") if outcome.status == 0 else None

    def done(outcome):
        equal(outcome.status, 0)

    def from_bus():
        store(b"one", "service", "S1", "account", "A")
        equal(find("S1", "A"), b"one")
        store(b"other", "service", "S1", "username", "B")
        equal(find("S1", "B"), b"other")

    def from_security():
        done(security("add-generic-password", "-s", "S2", "-a", "A", "-w", "two"))
        equal(lookup("service", "S2", "account", "A"), b"two")
        equal(lookup("service", "S2", "username", "A"), b"two")
        equal(lookup("service", "S2", "user", "A", "xdg:schema", "org.freedesktop.Secret.Generic"), b"two")
        import keyring.backends.SecretService
        equal(keyring.backends.SecretService.Keyring().get_password("S2", "A"), "two")

    def update_by_security():
        store(b"one", "service", "S3", "account", "A", "more", "x")
        done(security("add-generic-password", "-U", "-s", "S3", "-a", "A", "-w", "new"))
        equal(lookup("service", "S3", "account", "A", "more", "x"), b"new")
        equal(count("service", "S3"), 1)

    def update_by_bus():
        done(security("add-generic-password", "-s", "S4", "-a", "A", "-w", "one"))
        store(b"new", "service", "S4", "account", "A")
        equal(find("S4", "A"), b"new")
        equal(count("service", "S4"), 1)
        done(security("add-generic-password", "-s", "S4", "-a", "B", "-w", "one"))
        store(b"new", "service", "S4", "account", "B", "xdg:schema", "org.freedesktop.Secret.Generic")
        equal(find("S4", "B"), b"new")
        equal(count("service", "S4"), 2)

    def count(*attributes):
        return program("secret-tool", "search", "--all", *attributes).output.count(b"label = ")

    def delete_by_security():
        store(b"one", "service", "S5", "account", "A")
        done(security("delete-generic-password", "-s", "S5", "-a", "A"))
        equal(lookup("service", "S5", "account", "A"), None)

    def delete_by_bus():
        done(security("add-generic-password", "-s", "S6", "-a", "A", "-w", "one"))
        done(program("secret-tool", "clear", "service", "S6", "account", "A"))
        equal(find("S6", "A"), None)

    def twins():
        with Client(service) as client:
            coding = client.open_plain()
            items = [client.create(coding, {"service": "S7", "account": "A"}, secret) for secret in (b"first", b"second")]
            equal(find("S7", "A"), b"first")
            done(security("delete-generic-password", "-s", "S7", "-a", "A"))
            equal(find("S7", "A"), b"second")
            equal(client.search({"service": "S7"}), ([items[1]], []))

    def announced():
        with Client(service) as client:
            client.watch()
            done(security("add-generic-password", "-s", "S8", "-a", "A", "-w", "one"))
            (item,) = client.await_signal("ItemCreated", LOGIN)
            equal(client.get(item, "Item", "Attributes"), {"service": "S8", "account": "A"})
            done(security("add-generic-password", "-U", "-s", "S8", "-a", "A", "-w", "two"))
            equal(client.await_signal("ItemChanged", LOGIN), (item,))
            done(security("delete-generic-password", "-s", "S8", "-a", "A"))
            equal(client.await_signal("ItemDeleted", LOGIN), (item,))

    def one_lock():
        store(b"one", "service", "S9", "account", "A")
        with Client(service) as client:
            client.watch()
            done(program("keychainctl", "device", "lock"))
            _, changed, _ = client.await_signal("PropertiesChanged", LOGIN)
            equal(changed["Locked"], ("b", True))
            true(client.get(LOGIN, "Collection", "Locked"))
            equal(find("S9", "A"), None)
            service.answer(PASSCODE)
            equal(lookup("service", "S9", "account", "A"), b"one")
            equal(find("S9", "A"), b"one")

    def internet():
        helper = os.environ.get("GIT_CREDENTIAL_LIBSECRET")
        if not helper:
            return checks.miss("git-credential-libsecret")
        parts = b"protocol=https\nhost=example.com\nusername=anna\n"
        done(program(helper, "store", input=parts + b"password=git\n"))
        words = ["find-internet-password", "-s", "example.com", "-r", "htps", "-w"]
        equal(security(*words).output, b"git\n")
        done(security("add-internet-password", "-s", "other.example", "-r", "htps", "-a", "anna", "-w", "one"))
        other = parts.replace(b"example.com", b"other.example")
        true(b"password=one\n" in program(helper, "get", input=other).output)
        done(program(helper, "store", input=other + b"password=two\n"))
        equal(security("find-internet-password", "-s", "other.example", "-w").output, b"two\n")
        done(program(helper, "erase", input=other))
        true(security("find-internet-password", "-s", "other.example").status != 0)

    check("what the bus stores, security finds", from_bus)
    check("what security stores, programs of the bus find", from_security)
    check("security updates what the bus has stored", update_by_security)
    check("the bus updates what security has stored", update_by_bus)
    check("security deletes what the bus has stored", delete_by_security)
    check("the bus deletes what security has stored", delete_by_bus)
    check("security sees twins one after the other", twins)
    check("changes by security are announced on the bus", announced)
    check("git's passwords are internet passwords", internet)
    check("there is one lock", one_lock)
