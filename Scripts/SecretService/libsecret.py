# SPDX-License-Identifier: Apache-2.0
"""libsecret itself, through GObject introspection: passwords, collections, items, locks, prompts, signals."""

import subprocess
import time

from checks import equal, true
from client import SESSION, Client
from service import PASSCODE

def run(checks, service):
    try:
        import gi
        gi.require_version("Secret", "1")
        from gi.repository import Gio, GLib, Secret
    except (ImportError, ValueError):
        return checks.miss("libsecret's introspection")
    check = checks.check
    loop = GLib.MainContext.default()

    def until(condition, seconds=15):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"nothing within {seconds} s")
            loop.iteration(False) or time.sleep(0.01)

    def asynchronous(start, finish):
        """Calls a function that answers later, and waits for its result."""
        answers = []
        start(lambda source, result, *_: answers.append(result))
        until(lambda: answers)
        return finish(answers[0])

    text, number, flag = Secret.SchemaAttributeType.STRING, Secret.SchemaAttributeType.INTEGER, Secret.SchemaAttributeType.BOOLEAN
    schema = Secret.Schema.new("org.example.Typed", Secret.SchemaFlags.NONE, {"text": text, "number": number, "flag": flag})
    unnamed = Secret.Schema.new("org.example.Unnamed", Secret.SchemaFlags.DONT_MATCH_NAME, {"text": text})
    typed = {"text": "é", "number": "8", "flag": "true"}

    # Passwords
    def store(attributes, password, kind=schema, at=Secret.COLLECTION_DEFAULT):
        true(Secret.password_store_sync(kind, attributes, at, "label é", password, None))

    check("a password is stored", store, typed, "pässwörd")
    check("it is found", lambda: equal(Secret.password_lookup_sync(schema, typed, None), "pässwörd"))
    check("it is found by a number", lambda: equal(Secret.password_lookup_sync(schema, {"number": "8"}, None), "pässwörd"))
    check("a miss is nothing", lambda: equal(Secret.password_lookup_sync(schema, {"number": "9"}, None), None))
    check("another schema is a miss", lambda: equal(Secret.password_lookup_sync(
        Secret.Schema.new("org.example.Other", Secret.SchemaFlags.NONE, {"text": text}), {"text": "é"}, None), None))
    check("a schema that does not match by name", lambda: equal(Secret.password_lookup_sync(unnamed, {"text": "é"}, None), "pässwörd"))

    def later():
        true(asynchronous(
            lambda call: Secret.password_store(schema, {"text": "later"}, Secret.COLLECTION_DEFAULT, "later", "later", None, call),
            Secret.password_store_finish))
        equal(asynchronous(lambda call: Secret.password_lookup(schema, {"text": "later"}, None, call), Secret.password_lookup_finish), "later")

    check("a password is stored and found asynchronously", later)
    check("an empty password", lambda: (store({"text": "empty"}, ""), equal(Secret.password_lookup_sync(schema, {"text": "empty"}, None), "")))
    check("it is replaced", lambda: (store(typed, "another"), equal(Secret.password_lookup_sync(schema, typed, None), "another")))

    def found(flags, attributes=None):
        return Secret.password_search_sync(schema, attributes or {}, flags, None)

    def searched():
        items = found(Secret.SearchFlags.ALL | Secret.SearchFlags.LOAD_SECRETS)
        equal(len(items), 3)
        equal(sorted(item.retrieve_secret_sync(None).get_text() for item in items), ["", "another", "later"])

    check("a search gives all, with their secrets", searched)
    check("a search gives one", lambda: equal(len(found(Secret.SearchFlags.NONE)), 1))
    check("a password in memory", lambda: (store({"text": "memory"}, "m", at=Secret.COLLECTION_SESSION),
                                           equal(Secret.password_lookup_sync(schema, {"text": "memory"}, None), "m")))
    check("a password is cleared", lambda: (true(Secret.password_clear_sync(schema, {"text": "later"}, None)),
                                            equal(Secret.password_lookup_sync(schema, {"text": "later"}, None), None)))
    check("nothing is cleared", lambda: equal(Secret.password_clear_sync(schema, {"text": "later"}, None), False))

    def binary():
        value = Secret.Value.new("\0\1\2", -1, "application/octet-stream")
        if not hasattr(Secret, "password_lookup_binary_sync"):
            # Before 0.21, they have no introspection.
            return
        true(Secret.password_store_binary_sync(schema, {"text": "binary"}, Secret.COLLECTION_DEFAULT, "binary", value, None))
        read = Secret.password_lookup_binary_sync(schema, {"text": "binary"}, None)
        equal((bytes(read.get()), read.get_content_type()), (bytes(value.get()), value.get_content_type()))

    check("bytes keep their content type", binary)

    # The service
    flags = Secret.ServiceFlags
    secret_service = check("the service with its collections", Secret.Service.get_sync, flags.OPEN_SESSION | flags.LOAD_COLLECTIONS, None)
    check("the session is encrypted", lambda: equal(secret_service.get_session_algorithms(), "dh-ietf1024-sha256-aes128-cbc-pkcs7"))
    check("it has its collections", lambda: true({"/org/freedesktop/secrets/collection/login", "/org/freedesktop/secrets/collection/session"}
                                                 <= {each.get_object_path() for each in secret_service.get_collections()}))
    collection = check("the default collection", Secret.Collection.for_alias_sync, secret_service, Secret.COLLECTION_DEFAULT,
                       Secret.CollectionFlags.LOAD_ITEMS, None)
    check("it is login", lambda: equal(collection.get_object_path(), "/org/freedesktop/secrets/collection/login"))
    check("it has a label", lambda: true(collection.get_label()))
    check("it is open", lambda: true(not collection.get_locked()))
    check("it has its items", lambda: true(len(collection.get_items()) in (2, 3)))
    check("it has times", lambda: true(collection.get_modified() >= 0 and collection.get_created() >= 0))
    check("another alias is none", lambda: equal(Secret.Collection.for_alias_sync(secret_service, "another", 0, None), None))
    check("a collection with an alias that is there", lambda: equal(
        Secret.Collection.create_sync(secret_service, "x", "default", 0, None).get_object_path(), collection.get_object_path())
        if service.place != "gnome" else None)

    # Items
    def create(attributes, secret="secret", flags=Secret.ItemCreateFlags.NONE, kind="text/plain"):
        return Secret.Item.create_sync(collection, schema, attributes, "label é", Secret.Value.new(secret, -1, kind), flags, None)

    item = check("an item is created", create, {"text": "item"})
    check("it has its label", lambda: equal(item.get_label(), "label é"))
    check("it has its schema", lambda: equal(item.get_schema_name(), "org.example.Typed"))
    check("it has its attributes", lambda: equal(item.get_attributes(), {"text": "item", "xdg:schema": "org.example.Typed"}))
    check("it has times of now", lambda: true(abs(item.get_created() - time.time()) < 10 and abs(item.get_modified() - time.time()) < 10))
    check("its secret is loaded", lambda: (true(item.load_secret_sync(None)), equal(item.get_secret().get_text(), "secret")))
    check("the collection shows it", lambda: until(lambda: item.get_object_path() in [each.get_object_path() for each in collection.get_items()]))

    def notified(name, change):
        names = []
        handler = item.connect("notify", lambda _, each: names.append(each.name))
        try:
            change()
            until(lambda: name in names)
        finally:
            item.disconnect(handler)

    check("a new label is notified", notified, "label", lambda: true(item.set_label_sync("another", None)))
    check("it is there", lambda: equal(item.get_label(), "another"))
    check("new attributes are notified", notified, "attributes", lambda: true(item.set_attributes_sync(schema, {"text": "changed"}, None)))
    check("they are found", lambda: equal(Secret.password_lookup_sync(schema, {"text": "changed"}, None), "secret"))
    check("a new secret", lambda: (true(item.set_secret_sync(Secret.Value.new("new", -1, "a/b"), None)), item.load_secret_sync(None),
                                   equal((bytes(item.get_secret().get()), item.get_secret().get_content_type()), (b"new", "a/b"))))

    def elsewhere():
        """A change by another program shows in the item, which libsecret keeps."""
        words = ["gdbus", "call", "--session", "--dest", "org.freedesktop.secrets", "--object-path", item.get_object_path(), "--method"]
        words += ["org.freedesktop.DBus.Properties.Set", "org.freedesktop.Secret.Item", "Label", "<'elsewhere'>"]
        subprocess.run(words, env=service.environment, check=True, capture_output=True)
        until(lambda: item.get_label() == "elsewhere")

    check("a change by another program is seen", elsewhere)

    def twins():
        one, two = create({"text": "twins"}, "1"), create({"text": "twins"}, "2")
        true(one.get_object_path() != two.get_object_path())
        three = create({"text": "twins"}, "3", Secret.ItemCreateFlags.REPLACE)
        true(three.get_object_path() in (one.get_object_path(), two.get_object_path()))

    check("twins, and a replacement of one", twins)
    check("the service searches", lambda: equal(len(secret_service.search_sync(
        schema, {"text": "twins"}, Secret.SearchFlags.ALL | Secret.SearchFlags.LOAD_SECRETS, None)), 2))
    check("the collection searches", lambda: equal(len(collection.search_sync(schema, {"text": "twins"}, Secret.SearchFlags.ALL, None)), 2))
    check("an item is deleted", lambda: (true(item.delete_sync(None)),
                                         until(lambda: item.get_object_path() not in [each.get_object_path() for each in collection.get_items()])))

    def many():
        """Managers keep all items, and show what another program stores; of many at once, libsecret loads each many times."""
        memory = next(each for each in secret_service.get_collections() if each.get_object_path() == SESSION)
        with Client(service) as client:
            coding = client.open_plain()
            for index in range(30):
                client.create(coding, {"many": str(index)}, at=SESSION)
        until(lambda: len(memory.get_items()) >= 30, 60)

    check("items of another program are shown", many)
    if service.place == "gnome":
        return

    # Locks and prompts
    kept = create({"text": "kept"}, "kept")

    def locks():
        count, paths = secret_service.lock_sync([collection], None)
        equal((count, [each.get_object_path() for each in paths]), (1, [collection.get_object_path()]))
        until(collection.get_locked)

    check("the collection is locked, and shows it", locks)
    check("a search finds what is locked", lambda: true(all(each.get_locked() for each in found(Secret.SearchFlags.ALL, {"text": "kept"}))))
    check("its attributes are known", lambda: equal(found(Secret.SearchFlags.ALL, {"text": "kept"})[0].get_attributes()["text"], "kept"))

    def refused():
        service.answer("cancel")
        equal(Secret.password_lookup_sync(schema, {"text": "kept"}, None), None)
        equal(secret_service.unlock_sync([collection], None)[0], 0)

    check("a refusal opens nothing", refused)

    def cancelled():
        service.answer("wait")
        cancellable = Gio.Cancellable()
        asked, errors = service.asked(), []

        def ended(_, result):
            try:
                errors.append(Secret.password_lookup_finish(result))
            except GLib.Error as error:
                errors.append(error)

        Secret.password_lookup(schema, {"text": "kept"}, cancellable, ended)
        until(lambda: service.asked() > asked)
        cancellable.cancel()
        until(lambda: errors)
        true(errors[0] is None or errors[0].matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED), repr(errors))

    check("a call that is cancelled while somebody is asked ends", cancelled)
    check("and the service lives", lambda: true(secret_service.load_collections_sync(None)))
    service.answer(PASSCODE)
    check("the passcode opens it", lambda: equal(Secret.password_lookup_sync(schema, {"text": "kept"}, None), "kept"))
    check("the collection shows it", lambda: until(lambda: not collection.get_locked()))

    def storing():
        secret_service.lock_sync([collection], None)
        store({"text": "unlocked"}, "stored")
        equal(Secret.password_lookup_sync(schema, {"text": "unlocked"}, None), "stored")

    check("storing asks for the passcode", storing)
    check("nothing is unlocked that is open", lambda: equal(secret_service.unlock_sync([collection, kept], None)[0], 2))
