# SPDX-License-Identifier: Apache-2.0
"""secret-tool, the command of libsecret."""

import re

from checks import done, equal, refused, run as run_program, true
from service import PASSCODE


def run(checks, service):
    check, environment = checks.check, service.environment

    def tool(*words, input=b""):
        return run_program(["secret-tool", *words], environment, input)

    def store(secret, *attributes, label="label"):
        equal(tool("store", f"--label={label}", *attributes, input=secret), done())

    def lookup(expected, *attributes):
        equal(tool("lookup", *attributes), done(expected))

    def missing(*attributes):
        equal(tool("lookup", *attributes), refused())

    def count(*attributes):
        return tool("search", "--all", *attributes).output.count(b"label = ")

    # Secrets
    secrets = {
        "plain": b"open sesame", "other scripts": "pässwörd 日本語 🔑".encode(), "binary": bytes(range(256)), "zero bytes": b"a\0b\0",
        "a newline": b"one\ntwo\n", "one byte": b"x", "15 bytes": b"x" * 15, "16 bytes": b"x" * 16, "no UTF-8": b"\xff\xfe\xfd",
        "5 KB": b"t" * 5000,
        # The most that it takes.
        "8 KiB": b"\xa5" * 8191,
    }
    for name, secret in secrets.items():
        check(f"stores {name}", store, secret, "kind", name)
        check(f"reads {name}", lookup, secret, "kind", name)
    check("stores nothing at all", store, b"", "kind", "empty")
    check("reads nothing at all", lambda: true(tool("lookup", "kind", "empty").output == b""))

    # Misses
    check("a miss is silent", missing, "kind", "nothing")
    check("another case is a miss", missing, "Kind", "plain")
    check("the beginning of a value is a miss", missing, "kind", "plai")
    check("a pair too many is a miss", missing, "kind", "plain", "more", "x")
    check("a search without a result ends well", lambda: equal(tool("search", "kind", "nothing"), done()))
    check("a clearance of nothing ends as it does elsewhere", lambda: true(tool("clear", "kind", "nothing").status in (0, 1)))
    check("words without a value are refused", lambda: equal(tool("lookup", "kind").status, 2))
    check("no words are refused", lambda: equal(tool("lookup").status, 2))

    # Attributes
    check("stores with several attributes", store, b"several", "service", "mail", "user", "anna", "port", "993")
    check("finds them in their order", lookup, b"several", "service", "mail", "user", "anna", "port", "993")
    check("finds them in another order", lookup, b"several", "port", "993", "user", "anna", "service", "mail")
    check("finds by one of them", lookup, b"several", "user", "anna")
    check("stores with other scripts", store, b"scripts", "é", "日本語", "🔑", "x y")
    check("finds them", lookup, b"scripts", "🔑", "x y", "é", "日本語")
    check("stores with an empty value", store, b"empty value", "empty", "")
    check("finds it", lookup, b"empty value", "empty", "")
    check("stores with the name of a schema", store, b"schema", "xdg:schema", "org.example.Schema", "key", "1")
    check("finds by it", lookup, b"schema", "xdg:schema", "org.example.Schema")
    check("finds without it", lookup, b"schema", "key", "1")
    check("stores in the collection in memory", lambda: equal(
        tool("store", "--label=memory", "--collection=session", "memory", "1", input=b"memory"), done()))
    check("finds it there", lookup, b"memory", "memory", "1")

    # Replacing
    check("stores again", store, b"first", "replace", "1")
    check("with the same attributes", lambda: store(b"second", "replace", "1", label="second label"))
    check("the new one is there", lookup, b"second", "replace", "1")
    check("and no other", lambda: equal(count("replace", "1"), 1))
    check("its neighbour is stored", store, b"neighbour", "replace", "1", "user", "anna")
    check("and again with fewer attributes", store, b"third", "replace", "1")
    check("the neighbour stays", lookup, b"neighbour", "replace", "1", "user", "anna")

    # Searches
    def listed():
        found = tool("search", "--all", "replace", "1")
        equal(found.status, 0)
        true(len(re.findall(rb"^\[/\w+\]$", found.output, re.M)) == 2)
        for line in b"secret = third", b"secret = neighbour":
            true(line in found.output, f"{line} is not in {found}")
        true(b"attribute.user = anna" in found.output + found.errors)
        true(len(re.findall(rb"^(created|modified) = 20\d\d-", found.output, re.M)) == 4)

    check("search shows everything of all", listed)
    check("search shows one", lambda: equal(tool("search", "replace", "1").output.count(b"label = "), 1))
    check("search shows the schema", lambda: true(b"schema = org.example.Schema" in tool("search", "--all", "key", "1").output))

    # Clearing
    check("clears one", lambda: equal(tool("clear", "kind", "plain"), done()))
    check("it is gone", missing, "kind", "plain")
    check("another is there", lookup, b"x", "kind", "one byte")
    check("clears all that fit", lambda: equal(tool("clear", "replace", "1"), done()))
    check("all are gone", lambda: equal(count("replace", "1"), 0))

    # Locks
    if service.place == "gnome":
        return
    # It says that it has failed, or ends by a signal: some versions free what is not theirs.
    check("lock", lambda: tool("lock"))

    def locked():
        before = service.asked()
        service.answer("cancel")
        equal(tool("lookup", "kind", "one byte"), refused())
        true(service.asked() > before)

    check("a locked item asks, and a refusal reads nothing", locked)
    check("a refusal stores nothing", lambda: equal(tool("store", "--label=x", "locked", "1", input=b"x").status, 1))
    service.answer(PASSCODE)
    check("the passcode opens it", lookup, b"x", "kind", "one byte")
    check("locked again", lambda: tool("lock"))
    check("storing asks for the passcode", store, b"unlocked", "locked", "1")
    check("it is stored", lookup, b"unlocked", "locked", "1")
    check("locked once more", lambda: tool("lock"))
    check("searching asks for the passcode", lambda: true(
        b"secret = unlocked" in tool("search", "--all", "--unlock", "locked", "1").output))
