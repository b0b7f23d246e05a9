// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainServer
import KeychainTestSupport
import Testing

@testable import KeychainSecretService

/// Programs of other people, as Debian has them.
@Suite(.timeLimit(.minutes(5)))
struct RealClientTests {
    private let front: TestFront<EmbeddedKeychain>
    private let shell: Shell
    private let home: TemporaryFolder

    init() throws {
        // A keychain in memory has no passcode at first, and is unlocked by setting one.
        let device = DeviceOptions(authenticator: CallAuthenticator())
        front = try TestFront(of: .inMemory(device: device), memory: EmbeddedKeychain.inMemory())
        home = try TemporaryFolder(prefix: "kh")
        shell = Shell(environment: [
            "DBUS_SESSION_BUS_ADDRESS": front.bus.address, "HOME": home.path, "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
        ])
        _ = try front.keychain.perform(.device(.setPasscode(SecretBytes(Array("1234".utf8)))))
    }

    /// How many items there are.
    private func count() throws -> Int {
        let found = try front.client().search([:])
        return found.open.count + found.locked.count
    }

    private func secretTool(_ words: [String], input: String = "") throws -> Shell.Outcome {
        try shell.run("/usr/bin/secret-tool", words, input: input)
    }

    private func python(_ lines: String) throws -> Shell.Outcome {
        try shell.run("/usr/bin/python3", ["-c", lines])
    }

    @Test("secret-tool stores, finds, lists and clears, and says nothing of what there is not")
    func secretTool() throws {
        let attributes = ["service", "mail", "account", "anna"]
        let nothing = Shell.Outcome(status: 1, output: "", errors: "")
        let done = Shell.Outcome(status: 0, output: "", errors: "")
        #expect(try secretTool(["lookup"] + attributes) == nothing)
        #expect(try secretTool(["store", "--label=Mail"] + attributes, input: "open sesame") == done)
        #expect(try secretTool(["store", "--label=Mail"] + attributes, input: "another") == done)
        let found = try secretTool(["lookup"] + attributes)
        #expect(found == Shell.Outcome(status: 0, output: "another", errors: ""))
        let listed = try secretTool(["search", "--all", "service", "mail"])
        #expect(listed.status == 0)
        #expect(listed.output.contains("label = Mail\nsecret = another\n"))
        #expect(listed.errors.contains("attribute.account = anna"))
        #expect(try count() == 1)
        #expect(try secretTool(["clear"] + attributes) == done)
        #expect(try count() == 0)
    }

    @Test("secret-tool finds nothing to read in a locked keychain, and is told so at once")
    func locked() throws {
        let done = Shell.Outcome(status: 0, output: "", errors: "")
        #expect(try secretTool(["store", "--label=a", "a", "b"], input: "secret") == done)
        _ = try front.keychain.perform(.device(.lock))
        #expect(try secretTool(["lookup", "a", "b"]).status == 1)
        #expect(try secretTool(["store", "--label=c", "c", "d"], input: "secret").status == 1)
        #expect(try count() == 1)
    }

    @Test("SecretStorage makes, finds, changes and deletes items")
    func secretStorage() throws {
        let outcome = try python(
            """
            import secretstorage
            bus = secretstorage.dbus_init()
            collection = secretstorage.get_default_collection(bus)
            assert collection.get_label() == 'Login', collection.get_label()
            assert not collection.is_locked()
            assert len(list(secretstorage.get_all_collections(bus))) == 2
            item = collection.create_item('label', {'application': 'x', 'é': '1'}, b'secret')
            assert item.get_secret() == b'secret'
            assert item.get_label() == 'label'
            assert item.get_attributes() == {'application': 'x', 'é': '1'}, item.get_attributes()
            item.set_label('another')
            item.set_attributes({'application': 'y'})
            item.set_secret(b'\\0\\xff', 'application/octet-stream')
            assert item.get_secret() == b'\\0\\xff'
            assert item.get_secret_content_type() == 'application/octet-stream'
            assert item.get_label() == 'another'
            assert [found.item_path for found in collection.search_items({'application': 'y'})] == [item.item_path]
            assert [found.item_path for found in secretstorage.search_items(bus, {})] == [item.item_path]
            assert list(collection.search_items({'application': 'x'})) == []
            assert not item.is_locked() and not item.unlock() and not collection.unlock()
            assert item.get_created() > 0 and item.get_modified() > 0
            item.delete()
            try:
                item.get_label()
                raise AssertionError('it is gone')
            except secretstorage.exceptions.ItemNotFoundException:
                pass
            collection.lock()
            assert collection.is_locked()
            try:
                collection.create_item('label', {}, b'secret')
                raise AssertionError('it is locked')
            except secretstorage.exceptions.LockedException:
                pass
            assert collection.unlock(), 'it is dismissed'
            session = secretstorage.Collection(bus, '/org/freedesktop/secrets/collection/session')
            assert session.create_item('label', {}, b'').get_secret() == b''
            print('done')
            """
        )
        #expect(outcome == Shell.Outcome(status: 0, output: "done\n", errors: ""))
    }

    @Test("keyring stores, finds and deletes passwords")
    func keyring() throws {
        let outcome = try python(
            """
            from keyring.backends import SecretService
            from keyring.errors import PasswordDeleteError
            ring = SecretService.Keyring()
            assert ring.priority > 0
            assert ring.get_password('service', 'anna') is None
            for password in 'password', 'ä€', '':
                ring.set_password('service', 'anna', password)
                assert ring.get_password('service', 'anna') == password
            ring.set_password('service', 'bert', 'other')
            assert ring.get_credential('service', 'bert').password == 'other'
            assert ring.get_password('service', 'anna') == ''
            ring.delete_password('service', 'anna')
            assert ring.get_password('service', 'anna') is None
            try:
                ring.delete_password('service', 'anna')
                raise AssertionError('it is gone')
            except PasswordDeleteError:
                pass
            print('done')
            """
        )
        #expect(outcome == Shell.Outcome(status: 0, output: "done\n", errors: ""))
        #expect(try count() == 1)
    }

    @Test("what secret-tool stores is found by an item function, and the other way round")
    func crossing() throws {
        let done = Shell.Outcome(status: 0, output: "", errors: "")
        #expect(try secretTool(["store", "--label=a", "service", "S", "account", "A"], input: "one") == done)
        let query: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("S"), "acct": .string("A"),
            PropertyKey.returnData: .boolean(true),
        ]
        let found = try front.keychain.perform(KeychainRequest(.copyMatching(query), client: .person))
        #expect(found.values == [.data(SecretBytes(Array("one".utf8)))])
        let item: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("S"), "acct": .string("B"),
            PropertyKey.valueData: .data(SecretBytes(Array("two".utf8))),
        ]
        _ = try front.keychain.perform(KeychainRequest(.add(item), client: .person))
        let read = try secretTool(["lookup", "service", "S", "account", "B"])
        #expect(read == Shell.Outcome(status: 0, output: "two", errors: ""))
    }
}
