# SPDX-License-Identifier: Apache-2.0
"""Collections besides the two that are always there, their labels, and aliases."""

from checks import equal, run as run_program, true
from client import DBUS_ERROR, DEFAULT, ERROR, LOGIN, SECRET, SERVICE, SESSION, Client
from service import PASSCODE
from specification import GONE, raises

PLACES = ("own", "dbus")
LABEL = f"{SECRET}.Collection.Label"
NOT_SUPPORTED = f"{DBUS_ERROR}.NotSupported"


def create(client, label, alias=""):
    """Creates a collection, by a prompt if there is one."""
    path, prompt = client.call(SERVICE, "Service", "CreateCollection", "a{sv}s", {LABEL: ("s", label)}, alias)
    if prompt == "/":
        return path
    equal(path, "/")
    client.call(prompt, "Prompt", "Prompt", "s", "")
    dismissed, (kind, path) = client.await_signal("Completed", prompt)
    equal((dismissed, kind), (False, "o"))
    return path


def run(checks, service):
    check = checks.check
    service.answer(PASSCODE)
    with Client(service) as client, Client(service) as other:
        client.watch()
        other.watch()
        # Programs that have not called the service are told nothing of keychain files.
        other.get(SERVICE, "Service", "Collections")
        label = client.get(LOGIN, "Collection", "Label")

        def renames():
            client.set(LOGIN, "Collection", "Label", "s", "Another é")
            equal(client.get(DEFAULT, "Collection", "Label"), "Another é")
            equal(other.await_signal("CollectionChanged", SERVICE), (LOGIN,))
            client.set(LOGIN, "Collection", "Label", "s", label)
            equal(client.get(LOGIN, "Collection", "Label"), label)

        check("the label of login can be changed", renames)
        path = check("a collection is created", create, client, "Work é")
        if path is None:
            for what in "is announced", "is listed", "has its label", "keeps items", "is found", "has a lock of its own", "gets an alias", "is deleted":
                checks.note(f"a new collection {what}", "there is none")
            return
        check("it is announced", lambda: equal(other.await_signal("CollectionCreated", SERVICE), (path,)))
        check("it is listed", lambda: true(path in client.get(SERVICE, "Service", "Collections")))
        check("it has its label", lambda: equal(client.get(path, "Collection", "Label"), "Work é"))
        check("it is empty", lambda: equal(client.items(path), []))
        coding = client.open_encrypted()
        item = client.create(coding, {"further": "1"}, b"further", at=path)
        check("an item is below it", lambda: true(item.startswith(f"{path}/")))
        check("it keeps secrets", lambda: equal(client.secret(item, coding)[0], b"further"))
        check("a search finds it", lambda: equal(client.search({"further": "1"}), ([item], [])))
        check("it is found in no other collection", lambda: equal(client.call(LOGIN, "Collection", "SearchItems", "a{ss}", {"further": "1"}), []))

        def own_lock():
            equal(client.call(SERVICE, "Service", "Lock", "ao", [path]), ([path], "/"))
            equal((client.get(path, "Collection", "Locked"), client.get(LOGIN, "Collection", "Locked")), (True, False))
            raises(f"{ERROR}.IsLocked", client.secret, item, coding)
            opened, prompt = client.call(SERVICE, "Service", "Unlock", "ao", [path])
            client.call(prompt, "Prompt", "Prompt", "s", "")
            equal(client.await_signal("Completed", prompt), (False, ("ao", [path])))
            equal(client.secret(item, coding)[0], b"further")

        check("it has a lock of its own", own_lock)

        def alias():
            client.call(SERVICE, "Service", "SetAlias", "so", "work", path)
            equal(client.call(SERVICE, "Service", "ReadAlias", "s", "work"), path)
            equal(client.get(f"{SERVICE}/aliases/work", "Collection", "Label"), "Work é")
            client.call(SERVICE, "Service", "SetAlias", "so", "work", "/")
            equal(client.call(SERVICE, "Service", "ReadAlias", "s", "work"), "/")

        check("it gets an alias, and loses it", alias)

        def default():
            client.call(SERVICE, "Service", "SetAlias", "so", "default", path)
            equal(client.call(SERVICE, "Service", "ReadAlias", "s", "default"), path)
            made = client.create(coding, {"default": "1"}, at=DEFAULT)
            true(made.startswith(f"{path}/"))
            with Client(service) as later:
                equal(later.call(SERVICE, "Service", "ReadAlias", "s", "default"), path)
            client.call(SERVICE, "Service", "SetAlias", "so", "default", LOGIN)

        check("it becomes the default, for later programs too", default)
        check("it is a keychain of security's list", lambda: true(
            len(run_program(["security", "list-keychains"], service.environment).output.splitlines()) >= 2))

        def renamed():
            client.set(path, "Collection", "Label", "s", "Private")
            equal(client.get(path, "Collection", "Label"), "Private")
            client.secret(item, coding)

        check("its label can be changed, and its paths stay", renamed)

        def deleted():
            prompt = client.call(path, "Collection", "Delete")
            if prompt != "/":
                client.call(prompt, "Prompt", "Prompt", "s", "")
                equal(client.await_signal("Completed", prompt), (False, ("s", "")))
            true(path not in client.get(SERVICE, "Service", "Collections"))
            raises(GONE, client.get, item, "Item", "Label")
            equal(other.await_signal("CollectionDeleted", SERVICE), (path,))

        check("it is deleted with its items", deleted)
        for path in LOGIN, SESSION:
            check(f"{path.split('/')[-1]} is not deleted", raises, NOT_SUPPORTED, client.call, path, "Collection", "Delete")
            check("it is still there", lambda: true(path in client.get(SERVICE, "Service", "Collections")))
