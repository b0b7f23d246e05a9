# SPDX-License-Identifier: Apache-2.0
"""A locked collection: what it still answers, and what it refuses by name."""

from checks import equal, true
from client import DEFAULT, ERROR, LOGIN, SERVICE, SESSION, Client
from service import PASSCODE
from specification import raises

LOCKED = f"{ERROR}.IsLocked"


def lock(client, *paths):
    return client.call(SERVICE, "Service", "Lock", "ao", list(paths or [LOGIN]))


def unlock(client, *paths):
    """Unlocks by a prompt, and returns what it has completed with."""
    opened, prompt = client.call(SERVICE, "Service", "Unlock", "ao", list(paths or [LOGIN]))
    if prompt == "/":
        return False, ("ao", opened)
    client.call(prompt, "Prompt", "Prompt", "s", "")
    return client.await_signal("Completed", prompt)


def run(checks, service):
    check = checks.check
    with Client(service) as client, Client(service) as other:
        client.watch()
        other.watch()
        coding = client.open_encrypted()
        item = client.create(coding, {"locks": "1"}, label="locked label")
        memory = client.create(coding, {"locks": "memory"}, at=SESSION)
        unlocked(check, client, item)

        def locks():
            equal(lock(client), ([LOGIN], "/"))
            true(client.get(LOGIN, "Collection", "Locked"))

        check("the collection is locked at once", locks)

        def announced():
            interface, changed, _ = other.await_signal("PropertiesChanged", LOGIN)
            equal(changed["Locked"], ("b", True))

        check("it is announced", announced)
        check("it is locked by its alias, too", lambda: equal(client.get(DEFAULT, "Collection", "Locked"), True))
        check("the item is locked", lambda: equal(client.get(item, "Item", "Locked"), True))
        check("a search says so", lambda: equal(client.search({"locks": "1"}), ([], [item])))
        check("the collection's search finds it", lambda: equal(
            client.call(LOGIN, "Collection", "SearchItems", "a{ss}", {"locks": "1"}), [item]))
        check("its attributes can be read", lambda: equal(client.get(item, "Item", "Attributes").get("locks"), "1"))
        check("its label can be read", lambda: equal(client.get(item, "Item", "Label"), "locked label"))
        check("it is listed", lambda: true(item in client.items()))
        check("its secret cannot be read", raises, LOCKED, client.secret, item, coding)
        check("its secret is left out", lambda: equal(client.call(SERVICE, "Service", "GetSecrets", "aoo", [item], coding.path), {}))
        check("its secret cannot be changed", raises, LOCKED, client.call, item, "Item", "SetSecret", "(oayays)", coding.encode(b"x"))
        check("its label cannot be changed", raises, LOCKED, client.set, item, "Item", "Label", "s", "x")
        check("its attributes cannot be changed", raises, LOCKED, client.set, item, "Item", "Attributes", "a{ss}", {})
        check("it cannot be deleted", raises, LOCKED, client.call, item, "Item", "Delete")
        check("nothing can be stored", raises, LOCKED, client.create, coding, {"locks": "2"})
        check("nothing can be replaced", raises, LOCKED, lambda: client.create(coding, {"locks": "1"}, replace=True))
        check("the collection in memory is open", lambda: equal(client.secret(memory, coding)[0], b"secret"))
        check("both kinds are found", lambda: equal(client.call(SERVICE, "Service", "SearchItems", "a{ss}", {}), ([memory], [item])))
        check("locking it again does nothing", lambda: equal(lock(client), ([LOGIN], "/")))
        if service.place == "gnome":
            return
        service.answer(PASSCODE)
        check("the passcode opens it", lambda: equal(unlock(client), (False, ("ao", [LOGIN]))))

        def opened():
            interface, changed, _ = other.await_signal("PropertiesChanged", LOGIN)
            equal(changed["Locked"], ("b", False))

        check("it is announced", opened)
        check("the secret is as it was", lambda: equal(client.secret(item, coding)[0], b"secret"))
        check("the attributes are as they were", lambda: equal(client.get(item, "Item", "Attributes"), {"locks": "1"}))
        for name, path in ("an item", item), ("the alias", DEFAULT):
            def echoes():
                lock(client)
                equal(unlock(client, path), (False, ("ao", [path])))
            check(f"unlocking echoes the path of {name}", echoes)

        def several():
            lock(client)
            opened, prompt = client.call(SERVICE, "Service", "Unlock", "ao", [SESSION, LOGIN, memory, item, f"{LOGIN}/nothing"])
            equal(set(opened), {SESSION, memory})
            client.call(prompt, "Prompt", "Prompt", "s", "")
            dismissed, (kind, paths) = client.await_signal("Completed", prompt)
            equal((dismissed, kind, set(paths)), (False, "ao", {LOGIN, item} | (set(paths) & {SESSION, memory})))

        check("unlocking several opens those that were locked", several)


def unlocked(check, client, item):
    for name, path in ("the collection", LOGIN), ("the alias", DEFAULT), ("the item", item), ("the collection in memory", SESSION):
        check(f"unlocking {name} that is open echoes it", lambda: equal(
            client.call(SERVICE, "Service", "Unlock", "ao", [path]), ([path], "/")))
    check("unlocking several that are open echoes them", lambda: equal(
        client.call(SERVICE, "Service", "Unlock", "ao", [DEFAULT, item]), ([DEFAULT, item], "/")))
    nothing = [f"{SERVICE}/collection/not_there", f"{LOGIN}/{'0' * 32}", "/"]
    check("unlocking what is not there passes over it", lambda: equal(client.call(SERVICE, "Service", "Unlock", "ao", nothing), ([], "/")))
    check("locking what is not there passes over it", lambda: equal(lock(client, *nothing), ([], "/")))
    check("unlocking nothing", lambda: equal(client.call(SERVICE, "Service", "Unlock", "ao", []), ([], "/")))
