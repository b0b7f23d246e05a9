# SPDX-License-Identifier: Apache-2.0
"""What the Secret Service API says of objects, sessions, items and errors, call by call."""

import time

from checks import equal, true
from client import (
    DBUS_ERROR, DEFAULT, DH, ERROR, LOGIN, PRIME, SECRET, SERVICE, SESSION, CallError, Client, as_bytes,
)
from service import wait

GONE = {f"{ERROR}.NoSuchObject", f"{DBUS_ERROR}.UnknownObject", f"{DBUS_ERROR}.UnknownMethod"}
INVALID = f"{DBUS_ERROR}.InvalidArgs"
LABEL, ATTRIBUTES = f"{SECRET}.Item.Label", f"{SECRET}.Item.Attributes"
UNKNOWN_ITEM = f"{LOGIN}/{'0' * 32}"


def raises(names, body, *arguments):
    """Checks the name of the error of a call."""
    names = {names} if isinstance(names, str) else names
    try:
        result = body(*arguments)
    except CallError as error:
        true(error.name in names, f"the error is {error}, expected {names}")
        return
    true(False, f"it answers {result!r}, expected {names}")


def run(checks, service):
    with Client(service) as client, Client(service) as other:
        objects(checks.check, client)
        sessions(checks.check, client, other)
        secrets(checks.check, client)
        items(checks.check, client)
        searches(checks.check, client)
        replacing(checks.check, client)
        changes(checks.check, client, other)
        errors(checks.check, client, other)


def objects(check, client):
    def types(path, interface, expected):
        found = client.get_all(path, interface)
        # gnome-keyring has an old property besides.
        equal({name: value[0] for name, value in found.items() if name != "Type"}, expected)

    collection = {"Items": "ao", "Label": "s", "Locked": "b", "Created": "t", "Modified": "t"}
    check("the service lists login and session", lambda: true({LOGIN, SESSION} <= set(client.get(SERVICE, "Service", "Collections"))))
    check("the properties of the service", types, SERVICE, "Service", {"Collections": "ao"})
    check("the properties of a collection", types, LOGIN, "Collection", collection)
    check("the properties of a collection by its alias", types, DEFAULT, "Collection", collection)
    check("the properties of the collection in memory", types, SESSION, "Collection", collection)
    for alias in "default", "login", "session":
        def same():
            path = client.call(SERVICE, "Service", "ReadAlias", "s", alias)
            equal(client.get(f"{SERVICE}/aliases/{alias}", "Collection", "Label"), client.get(path, "Collection", "Label"))
        check(f"the alias {alias} is a collection's second path", same)
    check("login is the default", lambda: equal(client.call(SERVICE, "Service", "ReadAlias", "s", "default"), LOGIN))
    check("another alias is none", lambda: equal(client.call(SERVICE, "Service", "ReadAlias", "s", "another"), "/"))
    check("an empty alias is none", lambda: equal(client.call(SERVICE, "Service", "ReadAlias", "s", ""), "/"))
    check("a collection is open", lambda: equal(client.get(LOGIN, "Collection", "Locked"), False))
    check("the collection in memory is open", lambda: equal(client.get(SESSION, "Collection", "Locked"), False))
    check("a ping is answered", client.ping)
    for path, interface in (SERVICE, "Service"), (LOGIN, "Collection"), (SESSION, "Collection"):
        def introspects():
            text = client.call(path, "org.freedesktop.DBus.Introspectable", "Introspect")
            true(f'"{SECRET}.{interface}"' in text)
        check(f"{path} describes itself", introspects)
    check(
        "an alias that is there already is given back without a prompt",
        lambda: equal(
            client.call(SERVICE, "Service", "CreateCollection", "a{sv}s", {f"{SECRET}.Collection.Label": ("s", "x")}, "default"),
            (LOGIN, "/"),
        ),
    )
    check("a collection that is not there gets no alias", raises, f"{ERROR}.NoSuchObject", client.call, SERVICE, "Service",
          "SetAlias", "so", "default", f"{SERVICE}/collection/not_there")


def sessions(check, client, other):
    def plain():
        answered, path = client.call(SERVICE, "Service", "OpenSession", "sv", "plain", ("s", ""))
        equal(answered, ("s", ""))
        true(path.startswith(f"{SERVICE}/session/"))

    def round_trip(coding):
        item = client.create(coding, {"round": "trip"}, b"secret")
        equal(client.secret(item, coding), (b"secret", "text/plain"))
        client.call(item, "Item", "Delete")

    check("a plain session", plain)
    check("a plain session stores and reads", lambda: round_trip(client.open_plain()))
    check("an encrypted session stores and reads", lambda: round_trip(client.open_encrypted()))
    check("a public number may begin with zeros", lambda: round_trip(client.open_encrypted(padded=True)))
    check("the public number of the service is one of its group", lambda: true(
        2 < int.from_bytes(client.exchange(as_bytes(pow(2, 12345, PRIME)))[0][1], "big") < PRIME - 1))

    def many():
        for _ in range(64):
            coding = client.open_encrypted()
            item = client.create(coding, {"many": "sessions"}, b"x", replace=True)
            equal(client.secret(item, coding)[0], b"x")
            client.call(coding.path, "Session", "Close")
        client.call(item, "Item", "Delete")

    check("sixty-four sessions agree on their keys", many)

    def crossed():
        one, another = client.open_plain(), client.open_encrypted()
        item = client.create(one, {"crossed": "1"}, b"\0\xff")
        equal(client.secret(item, another)[0], b"\0\xff")
        client.call(item, "Item", "Delete")

    check("a secret is coded for the session that asks", crossed)
    check("an algorithm that is not known", raises, f"{DBUS_ERROR}.NotSupported", client.call, SERVICE, "Service", "OpenSession",
          "sv", "another", ("s", ""))
    numbers = {"0": b"\0", "1": b"\1", "p-1": as_bytes(PRIME - 1), "p": as_bytes(PRIME), "p+1": as_bytes(PRIME + 1),
               "nothing": b"", "4,096 bytes": b"\x55" * 4096, "129 bytes": b"\1" * 129}
    for name, number in numbers.items():
        check(f"the public number {name} is refused", raises, INVALID, client.exchange, number)
    check("a text as public number is refused", raises, INVALID, client.call, SERVICE, "Service", "OpenSession", "sv", DH, ("s", "x"))

    def closed():
        coding = client.open_plain()
        client.call(coding.path, "Session", "Close")
        raises(f"{ERROR}.NoSession", client.create, coding, {"closed": "1"})
        equal(client.search({"closed": "1"}), ([], []))

    check("a closed session stores nothing", closed)

    def closed_twice():
        coding = client.open_plain()
        client.call(coding.path, "Session", "Close")
        raises(GONE | {f"{ERROR}.NoSession"}, client.call, coding.path, "Session", "Close")

    check("a session is closed once", closed_twice)
    foreign = client.open_plain()
    check("another program's session stores nothing", raises, f"{ERROR}.NoSession", other.create, foreign, {"foreign": "1"})
    check("nothing was stored", lambda: equal(client.search({"foreign": "1"}), ([], [])))
    item = client.create(foreign, {"own": "1"})
    check("another program's session reads nothing", raises, f"{ERROR}.NoSession", other.call, item, "Item", "GetSecret", "o", foreign.path)
    check("nor several secrets", raises, f"{ERROR}.NoSession", other.call, SERVICE, "Service", "GetSecrets", "aoo", [item], foreign.path)

    def not_closed():
        raises(GONE | {f"{ERROR}.NoSession"}, other.call, foreign.path, "Session", "Close")
        equal(client.secret(item, foreign)[0], b"secret")

    check("another program's session is not closed", not_closed)
    check("a session that was never there", raises, f"{ERROR}.NoSession", client.call, item, "Item", "GetSecret", "o", f"{SERVICE}/session/s99")
    check("a path that is no session", raises, f"{ERROR}.NoSession", client.call, item, "Item", "GetSecret", "o", "/")
    client.call(item, "Item", "Delete")


def secrets(check, client):
    coding, plain = client.open_encrypted(), client.open_plain()
    contents = {"no byte": b"", "one byte": b"x", "a zero byte": b"a\0b", "no UTF-8": b"\xff\xfe", "15 bytes": b"x" * 15,
                "16 bytes": b"x" * 16, "1 MiB": b"\xa5" * (1 << 20)}
    for name, content in contents.items():
        def keeps(session):
            item = client.create(session, {"content": name}, content)
            try:
                equal(client.secret(item, session)[0], content)
                found = client.call(SERVICE, "Service", "GetSecrets", "aoo", [item], session.path)
                equal(session.decode(found[item])[0], content)
            finally:
                client.call(item, "Item", "Delete")
        check(f"a secret of {name}", keeps, plain)
        check(f"a secret of {name}, encrypted", keeps, coding)
    for kind in "text/plain", "text/plain; charset=utf8", "text/plain; charset=utf-8", "application/octet-stream", "x":
        def keeps_type():
            item = client.create(plain, {"kind": kind}, b"\xff", kind=kind)
            try:
                equal(client.secret(item, plain), (b"\xff", kind))
            finally:
                client.call(item, "Item", "Delete")
        check(f"the content type {kind} is kept", keeps_type)

    def refused(start, text):
        before = len(client.items())
        raises(INVALID, client.create_with, {ATTRIBUTES: ("a{ss}", {"broken": "1"})}, (coding.path, start, text, "text/plain"))
        equal(len(client.items()), before)

    start, text = coding.encode(b"secret")[1:3]
    check("an initial value of 8 bytes stores nothing", refused, start[:8], text)
    check("none stores nothing", refused, b"", text)
    check("one of 17 bytes stores nothing", refused, start + b"x", text)
    check("no text stores nothing", refused, start, b"")
    check("a text that is cut off stores nothing", refused, start, text[:-1])
    check("wrong padding stores nothing", refused, start, coding.encrypt(start, b"x" * 15 + b"\0"))
    check("other wrong padding stores nothing", refused, start, coding.encrypt(start, b"x" * 15 + b"\x11"))

    def garbage():
        for length in range(1, 65):
            if length % 16:
                refused(start, b"\x5a" * length)

    check("garbage of every length stores nothing", garbage)

    def unchanged():
        item = client.create(coding, {"kept": "1"}, b"first")
        raises(INVALID, client.call, item, "Item", "SetSecret", "(oayays)", (coding.path, start[:8], text, "x"))
        equal(client.secret(item, coding)[0], b"first")
        client.call(item, "Item", "Delete")

    check("a broken secret changes nothing", unchanged)


def items(check, client):
    coding = client.open_plain()
    encoded = coding.encode(b"secret")

    def without():
        item = client.create_with({}, encoded)
        equal((client.get(item, "Item", "Label"), client.get(item, "Item", "Attributes")), ("", {}))
        client.call(item, "Item", "Delete")

    check("an item without a label and attributes", without)
    maps = {
        "an empty value": {"a": ""}, "an empty name": {"": "a"}, "a newline": {"a\nb": "c\nd"},
        "other scripts": {"é": "日本語", "🔑": "🗝"}, "64 KiB": {"x" * (64 << 10): "y" * (64 << 10)}, "two forms of one letter": {"\u00e9": "1", "e\u0301": "2"},
        "a hundred": {str(number): "x" for number in range(100)},
        "names of columns": {"service": "s", "account": "a", "acct": "x", "svce": "y", "labl": "z"},
    }
    for name, attributes in maps.items():
        def keeps():
            item = client.create(coding, attributes, label="label é\n")
            try:
                equal(client.get(item, "Item", "Attributes"), attributes)
                equal(client.get(item, "Item", "Label"), "label é\n")
                equal(client.search(attributes), ([item], []))
            finally:
                client.call(item, "Item", "Delete")
        check(f"attributes with {name}", keeps)

    def kinds():
        item = client.create(coding, {"kinds": "1"})
        found = {name: value[0] for name, value in client.get_all(item, "Item").items() if name != "Type"}
        equal(found, {"Locked": "b", "Attributes": "a{ss}", "Label": "s", "Created": "t", "Modified": "t"})
        now = time.time()
        true(abs(client.get(item, "Item", "Created") - now) < 5 and abs(client.get(item, "Item", "Modified") - now) < 5)
        true(client.get(item, "Item", "Locked") is False)
        text = client.call(item, "org.freedesktop.DBus.Introspectable", "Introspect")
        true(f'"{SECRET}.Item"' in text and "kinds" not in text)
        client.call(item, "Item", "Delete")

    check("the properties of an item", kinds)

    def real_path():
        item = client.create(coding, {"path": "1"}, at=DEFAULT)
        true(item.startswith(f"{LOGIN}/") and "/" not in item[len(LOGIN) + 1:])
        true(item in client.items(LOGIN) and item in client.items(DEFAULT))
        client.call(item, "Item", "Delete")
        true(item not in client.items(LOGIN))

    check("an item has its path below the real collection", real_path)

    def in_memory():
        item = client.create(coding, {"memory": "1"}, at=SESSION)
        true(item.startswith(f"{SESSION}/") and item in client.items(SESSION) and item not in client.items(LOGIN))
        equal(client.search({"memory": "1"}), ([item], []))
        client.call(item, "Item", "Delete")

    check("an item in memory", in_memory)

    def not_reused():
        paths = set()
        for _ in range(3):
            item = client.create(coding, {"reused": "1"})
            client.call(item, "Item", "Delete")
            paths.add(item)
        equal(len(paths), 3)

    check("the path of a deleted item is not given to the next one", not_reused)
    wrong = {
        "a number as label": ({LABEL: ("i", 1)}, encoded, False),
        "texts of another kind as attributes": ({ATTRIBUTES: ("a{sv}", {"a": ("s", "b")})}, encoded, False),
        "a list as attributes": ({ATTRIBUTES: ("as", ["a"])}, encoded, False),
    }
    for name, arguments in wrong.items():
        def refused():
            before = client.items()
            raises(INVALID, client.create_with, *arguments)
            equal(client.items(), before)
        check(f"{name} stores nothing", refused)

    def other_signature():
        before = client.items()
        raises(INVALID, client.call, LOGIN, "Collection", "CreateItem", "a{sv}(oayay)b", {}, encoded[:3], False)
        raises(INVALID, client.call, LOGIN, "Collection", "CreateItem", "a{sv}(oayays)", {}, encoded)
        equal(client.items(), before)

    check("arguments of another type store nothing", other_signature)

    def others():
        item = client.create_with({"org.example.Other": ("i", 1), LABEL: ("s", "x")}, encoded)
        equal(client.get(item, "Item", "Label"), "x")
        client.call(item, "Item", "Delete")

    check("a property that is not known is passed over", others)


def searches(check, client):
    coding = client.open_plain()
    one = client.create(coding, {"search": "1", "a": "x", "empty": ""})
    two = client.create(coding, {"search": "1", "a": "X"})
    queries = [
        ("one pair", {"a": "x"}, [one]), ("another letter", {"a": "X"}, [two]), ("what both have", {"search": "1"}, [one, two]),
        ("two pairs", {"a": "x", "search": "1"}, [one]), ("a pair too many", {"a": "x", "search": "1", "b": "y"}, []),
        ("an empty value", {"empty": ""}, [one]), ("an empty value where there is none", {"a": ""}, []),
        ("the beginning of a value", {"search": ""}, []), ("another name", {"A": "x"}, []), ("everything", {}, [one, two]),
    ]
    for name, query, expected in queries:
        check(f"a search for {name}", lambda: equal((sorted(client.search(query)[0]), client.search(query)[1]), (sorted(expected), [])))
        check(f"a search in the collection for {name}", lambda: equal(
            sorted(client.call(DEFAULT, "Collection", "SearchItems", "a{ss}", query)), sorted(expected)))

    def several():
        found = client.call(SERVICE, "Service", "GetSecrets", "aoo", [one, UNKNOWN_ITEM, two, one], coding.path)
        equal(set(found), {one, two})

    check("several secrets, without those that are not there", several)
    check("no secrets", lambda: equal(client.call(SERVICE, "Service", "GetSecrets", "aoo", [], coding.path), {}))
    for item in one, two:
        client.call(item, "Item", "Delete")


def replacing(check, client):
    coding = client.open_plain()

    def same():
        item = client.create(coding, {"replace": "same"}, b"1", label="first")
        created = client.get(item, "Item", "Created")
        equal(client.create(coding, {"replace": "same"}, b"2", label="second", replace=True), item)
        equal((client.secret(item, coding)[0], client.get(item, "Item", "Label")), (b"2", "second"))
        equal(client.get(item, "Item", "Created"), created)
        equal(client.search({"replace": "same"}), ([item], []))
        client.call(item, "Item", "Delete")

    check("the same attributes replace the item", same)

    def fewer():
        item = client.create(coding, {"service": "S", "user": "U"}, b"neighbour")
        another = client.create(coding, {"service": "S"}, b"new", replace=True)
        true(item != another)
        equal((client.secret(item, coding)[0], client.secret(another, coding)[0]), (b"neighbour", b"new"))
        client.call(item, "Item", "Delete")
        client.call(another, "Item", "Delete")

    check("fewer attributes replace no neighbour", fewer)

    def more():
        item = client.create(coding, {"service": "S"}, b"neighbour")
        another = client.create(coding, {"service": "S", "user": "U"}, b"new", replace=True)
        equal((client.secret(item, coding)[0], client.secret(another, coding)[0]), (b"neighbour", b"new"))
        client.call(item, "Item", "Delete")
        client.call(another, "Item", "Delete")

    check("more attributes replace no neighbour", more)

    def twins():
        one, two = (client.create(coding, {"twins": "1"}, secret) for secret in (b"1", b"2"))
        true(one != two)
        equal((client.secret(one, coding)[0], client.secret(two, coding)[0]), (b"1", b"2"))
        client.call(one, "Item", "Delete")
        equal(client.secret(two, coding)[0], b"2")
        client.call(two, "Item", "Delete")

    check("twins are two items", twins)

    def new():
        item = client.create(coding, {"replace": "new"}, replace=True)
        equal(client.search({"replace": "new"}), ([item], []))
        client.call(item, "Item", "Delete")

    check("where there is none, an item is created", new)


def next_second(time_of_item):
    wait(lambda: time.time() >= time_of_item + 1)


def changes(check, client, other):
    coding = client.open_plain()
    other.watch()

    def announced(member, item):
        equal(other.await_signal(member, LOGIN), (item,))

    item = client.create(coding, {"change": "1"}, b"1")
    check("a new item is announced", announced, "ItemCreated", item)

    def modified(change):
        before = client.get(item, "Item", "Modified")
        next_second(before)
        change()
        true(client.get(item, "Item", "Modified") > before)

    set_secret = lambda: client.call(item, "Item", "SetSecret", "(oayays)", coding.encode(b"2", "a/b"))
    check("a new secret moves the time", modified, set_secret)
    check("it is announced", announced, "ItemChanged", item)
    check("it is there, with its type", lambda: equal(client.secret(item, coding), (b"2", "a/b")))
    check("a new label moves the time", modified, lambda: client.set(item, "Item", "Label", "s", "another"))
    check("it is announced", announced, "ItemChanged", item)
    check("it is there", lambda: equal(client.get(item, "Item", "Label"), "another"))
    check("new attributes move the time", modified, lambda: client.set(item, "Item", "Attributes", "a{ss}", {"change": "2"}))
    check("they are announced", announced, "ItemChanged", item)
    check("they are there", lambda: equal(client.get(item, "Item", "Attributes"), {"change": "2"}))
    check("they are found", lambda: equal(client.search({"change": "2"}), ([item], [])))
    check("the old ones are not", lambda: equal(client.search({"change": "1"}), ([], [])))
    check("the secret is as before", lambda: equal(client.secret(item, coding), (b"2", "a/b")))
    check("a replaced item has its path", lambda: equal(client.create(coding, {"change": "2"}, b"3", replace=True), item))
    check("it is announced as changed", announced, "ItemChanged", item)
    check("nothing was announced as created", lambda: true(all(name != "ItemCreated" for _, name, _ in other.signals)))
    check("the collection's time moves", lambda: true(
        client.get(LOGIN, "Collection", "Modified") >= client.get(item, "Item", "Modified") - 1))
    check("a label of another type changes nothing", raises, INVALID, client.set, item, "Item", "Label", "i", 1)
    check("attributes of another type change nothing", raises, INVALID, client.set, item, "Item", "Attributes", "as", ["a"])
    for name, types, value in ("Locked", "b", True), ("Created", "t", 1), ("Modified", "t", 1):
        check(f"{name} cannot be written", raises, {f"{DBUS_ERROR}.PropertyReadOnly", INVALID}, client.set, item, "Item", name, types, value)
    check("a deletion needs no prompt", lambda: equal(client.call(item, "Item", "Delete"), "/"))
    check("it is announced", announced, "ItemDeleted", item)
    for member, arguments in ("Delete", ()), ("GetSecret", ("o", coding.path)), ("SetSecret", ("(oayays)", coding.encode(b"x"))):
        check(f"{member} of what is gone", raises, GONE, client.call, item, "Item", member, *arguments)
    check("a property of what is gone", raises, GONE, client.get, item, "Item", "Label")
    check("all properties of what is gone", raises, GONE, client.get_all, item, "Item")
    check("a change of what is gone", raises, GONE, client.set, item, "Item", "Label", "s", "x")


def errors(check, client, other):
    check("a method that is not there", raises, f"{DBUS_ERROR}.UnknownMethod", client.call, SERVICE, "Service", "Nothing")
    check("a method of another object", raises, f"{DBUS_ERROR}.UnknownMethod", client.call, LOGIN, "Collection", "OpenSession", "sv", "plain", ("s", ""))
    check("an interface that is not there", raises, {f"{DBUS_ERROR}.UnknownMethod", f"{DBUS_ERROR}.UnknownInterface"},
          client.call, SERVICE, "org.example.Nothing", "Nothing")
    check("a property that is not there", raises, {f"{DBUS_ERROR}.UnknownProperty", INVALID, f"{DBUS_ERROR}.Failed"},
          client.get, LOGIN, "Collection", "Nothing")
    check("arguments of another type", raises, INVALID, client.call, SERVICE, "Service", "SearchItems", "a{si}", {"a": 1})
    check("an argument too few", raises, INVALID, client.call, SERVICE, "Service", "SearchItems")
    check("an argument too many", raises, INVALID, client.call, SERVICE, "Service", "ReadAlias", "ss", "default", "x")
    for path in (f"{SERVICE}/collection/not_there", UNKNOWN_ITEM, f"{LOGIN}/a/b", f"{SERVICE}/nothing", f"{SERVICE}/aliases/nothing",
                 f"{LOGIN}/" + "a" * 10_000, LOGIN + "/a" * 100, "/", f"{SERVICE}/prompt/p1", f"{SERVICE}/session/s1"):
        name = path if len(path) < 80 else f"a path of {len(path)} characters"
        check(f"{name} has no label", raises, GONE | {f"{DBUS_ERROR}.UnknownInterface"}, client.get, path, "Item", "Label")
    check("a prompt that is not there", raises, GONE, client.call, f"{SERVICE}/prompt/{'0' * 32}", "Prompt", "Prompt", "s", "")
    check("nor is it dismissed", raises, GONE, client.call, f"{SERVICE}/prompt/{'0' * 32}", "Prompt", "Dismiss")
    check("the service still answers others", other.ping)
