// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainCore
import KeychainFiles
import KeychainHost
import KeychainMacFrontEnd
import KeychainTestSupport
import MessageBus
import Synchronization
import Testing

@testable import KeychainSecretService

/// Keychain files as collections.
@Suite(.timeLimit(.minutes(5)))
struct FileCollectionTests {
    private static let collections = "\(TestClient.root)/collection"
    private static let password = SecretBytes(Array("of the file".utf8))
    private static let notSupported = "org.freedesktop.DBus.Error.NotSupported"
    private static let noObject = "org.freedesktop.Secret.Error.NoSuchObject"
    private static let isLocked = "org.freedesktop.Secret.Error.IsLocked"

    private let home: TemporaryFolder
    private let preferences: KeychainPreferences
    private let files = KeychainFiles.forTesting()
    private let delays: DelayedFiles
    private let observer = ChangeTrigger()
    private let front: TestFront<LookupKeychain>
    private let client: TestClient

    private let answers: TypedAnswers

    init() throws {
        home = try TemporaryFolder(prefix: "kf")
        preferences =
            KeychainPreferences(
                home: KeychainHome(path: home.path),
                systemFolder: home.path(of: "system")
            ).withDataProtection
        let (answers, observer) = (TypedAnswers(["of the file", "wrong", "of the file"]), observer)
        var options = SecretServiceOptions()
        options.prompter = answers.answer
        delays = DelayedFiles(files)
        options.files = FileCollections(preferences, servedBy: delays) { changed in
            observer.changed.withLock { $0 = changed }
            return nil
        }
        self.answers = answers
        front = try TestFront(passcode: nil, options)
        client = try front.client()
    }

    private func path(_ name: String) -> String { preferences.home.newKeychainPath("\(name).keychain") }

    /// Makes a keychain file as `security` does, and lists it.
    private func makeFile(_ name: String) throws {
        try files.files.create(at: path(name), password: Self.password)
        try preferences.addToSearchList(path(name))
    }

    /// Makes a keychain file with one item, when both are announced.
    private func makeFileWithItem(_ name: String) throws -> (collection: String, item: String) {
        #expect(try listed.count == 2)
        try makeFile(name)
        let made = "\(Self.collections)/\(name)"
        #expect(try nextSignal("CollectionCreated")?.content == made)
        let item = try client.store(["a": "b"], "secret", session: client.openSession(), in: made)
        #expect(try nextSignal("ItemCreated")?.content == item)
        return (made, item)
    }

    /// The next signal of a name, and with some content.
    private func nextSignal(_ name: String, containing content: String = "") throws -> TestClient.Received? {
        while let signal = try client.nextSignal() {
            if signal.name == name, content.isEmpty || signal.content.contains(content) { return signal }
        }
        return nil
    }

    private var listed: [String] { get throws { try client.paths("Collections", of: TestClient.root, .service) } }

    @Test("a prompt creates a keychain file with the password that was typed, which is listed and searched")
    func create() throws {
        let (collection, prompt) = try client.createCollection("Work stuff")
        #expect(collection == "/")
        #expect(try listed.count == 2)
        try client.show(prompt)
        let made = "\(Self.collections)/Work_20stuff"
        #expect(try client.nextSignal() == .init(name: "CollectionCreated", path: TestClient.root, content: made))
        #expect(try nextSignal("Completed") == .init(name: "Completed", path: prompt, content: "done \(made)"))
        #expect(answers.asked.withLock(\.self) == [.newPassword(ofCollection: "Work stuff")])
        #expect(try listed.last == made)
        #expect(access(path("Work stuff"), F_OK) == 0)
        #expect(try preferences.searched() == [.dataProtection, .file(path("Work stuff"))])
        try files.files.unlock(at: path("Work stuff"), password: Self.password)
        #expect(try client.text("Label", of: made, .collection) == "Work stuff")
        let item = try client.store(["service": "S", "account": "A"], "x", session: client.openSession(), in: made)
        #expect(item.hasPrefix(made + "/"))
        #expect(try nextSignal("ItemCreated") == .init(name: "ItemCreated", path: made, content: item))
        #expect(try client.search(["service": "S"]).open == [item])
        #expect(try client.paths("Items", of: made, .collection) == [item])
        let found = try files.files.items(
            FileItemConditions(.genericPassword, ["svce": .string("S"), .account: .string("A")]),
            at: path("Work stuff")
        )
        #expect(found.count == 1)
        #expect(try files.files.secret(of: found[0].identifier, at: path("Work stuff")).unprotectedCopy == [0x78])
        // The same again is another file.
        answers.texts.withLock { $0 = ["p"] }
        try client.show(try client.createCollection("Work stuff").prompt)
        #expect(try nextSignal("Completed")?.content == "done \(Self.collections)/Work_20stuff_5f2")
        #expect(try client.text("Label", of: "\(Self.collections)/Work_20stuff_5f2", .collection) == "Work stuff")
    }

    @Test("where nobody types a password no collection is made, and the prompt ends with no object")
    func refused() throws {
        answers.texts.withLock { $0 = [] }
        let prompt = try client.createCollection("a").prompt
        try client.show(prompt)
        #expect(try nextSignal("Completed")?.content == "dismissed /")
        let other = try client.createCollection("a").prompt
        try client.send(other, of: .prompt, calling: "Dismiss")
        #expect(try nextSignal("Completed") == .init(name: "Completed", path: other, content: "dismissed /"))
        #expect(try listed.count == 2 && access(preferences.home.keychainFolder, F_OK) != 0)
    }

    @Test("a file that security makes, locks and deletes is announced, and its lock is its own")
    func elsewhere() throws {
        let (made, item) = try makeFileWithItem("work")
        try files.files.lock(at: path("work"))
        observer.tell()
        #expect(try nextSignal("PropertiesChanged", containing: "Locked")?.path == made)
        #expect(try client.search(["a": "b"]).locked == [item])
        #expect(try client.attributes(of: item) == ["a=b"])
        #expect(try refusal { _ = try client.secret(item, session: client.openSession()) } == Self.isLocked)
        let refused = try refusal {
            _ = try client.store(["c": "d"], "x", session: client.openSession(), in: made)
        }
        #expect(refused == Self.isLocked)
        #expect(try !client.boolean("Locked", of: TestClient.login, .collection))
        let (open, prompt) = try client.change("Unlock", [item, TestClient.login, made])
        #expect(open == [TestClient.login])
        answers.texts.withLock { $0 = ["wrong", "of the file"] }
        try client.show(prompt)
        #expect(try nextSignal("Completed")?.content == "done \(item) \(made)")
        let kinds = answers.asked.withLock(\.self)
        #expect(kinds == Array(repeating: .password(ofCollection: "work"), count: 2))
        #expect(try client.secrets([item], session: client.openSession()) == [item: Array("secret".utf8)])
        #expect(try client.change("Lock", [made]) == ([made], "/"))
        let change = TestClient.Received(name: "PropertiesChanged", path: made, content: "Locked")
        #expect(try client.queuedSignals().contains(change), "it is told before the answer")
        #expect(try files.files.status(at: path("work")).isLocked)
        try files.files.delete(at: path("work"))
        try preferences.recordRemoval(of: path("work"))
        #expect(try nextSignal("CollectionDeleted")?.content == made)
        #expect(try refusal { _ = try client.attributes(of: item) } == Self.noObject)
    }

    @Test("a file that is unlocked or locked elsewhere ends the prompts for it, and is told of items that were read")
    func lockedElsewhere() throws {
        let (made, item) = try makeFileWithItem("work")
        #expect(try !client.boolean("Locked", of: item, .item))
        try files.files.lock(at: path("work"))
        observer.tell()
        #expect(try nextSignal("PropertiesChanged", containing: "Locked")?.path == made)
        #expect(try nextSignal("PropertiesChanged", containing: "Locked")?.path == item)
        answers.isWaiting.withLock { $0 = true }
        let prompt = try client.change("Unlock", [item]).prompt
        try client.show(prompt)
        #expect(answers.isAsked.wait(timeout: .now() + .seconds(120)) == .success)
        try files.files.unlock(at: path("work"), password: Self.password)
        observer.tell()
        #expect(try nextSignal("Completed") == .init(name: "Completed", path: prompt, content: "done \(item)"))
    }

    @Test("a lock of a file is told before its answer, also if the files are being read already")
    func lockWhileReading() throws {
        let made = "\(Self.collections)/a"
        #expect(try listed.count == 2)
        for name in ["a", "b"] {
            try makeFile(name)
            #expect(try nextSignal("CollectionCreated")?.content == "\(Self.collections)/\(name)")
        }
        let (begun, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let second = path("b")
        delays.delay.withLock { delay in
            delay = { command in
                guard case .files(.keychain(second, .details)) = command else { return }
                begun.signal()
                goesOn.wait()
            }
        }
        observer.tell()
        begun.wait()
        delays.delay.withLock { $0 = nil }
        let number = try client.sendChange("Lock", [made])
        #expect(try eventually("it is locked") { try files.files.status(at: path("a")).isLocked })
        // Which the thread of the bus learns before it answers this.
        _ = try front.client().openSession()
        goesOn.signal()
        let change = TestClient.Received(name: "PropertiesChanged", path: made, content: "Locked")
        #expect(try client.signals(before: number).contains(change))
    }

    @Test("where the daemon of keychain files cannot be started, that is no limit")
    func noDaemon() throws {
        try makeFile("work")
        var options = SecretServiceOptions()
        options.files = FileCollections(preferences, servedBy: UnavailableKeychain(reason: "it cannot be started"))
        let client = try TestFront(passcode: nil, options).client()
        let refused = try refusal { _ = try client.text("Label", of: "\(Self.collections)/work", .collection) }
        #expect(refused == "org.freedesktop.DBus.Error.Failed")
    }

    @Test("an item that security adds, changes and deletes in a file is announced")
    func items() throws {
        // Before, nobody listens.
        #expect(try listed.count == 2)
        try makeFile("work")
        #expect(try nextSignal("CollectionCreated")?.content == "\(Self.collections)/work")
        let item = try files.files.add(
            .genericPassword,
            attributes: ["acct": .string("A"), "svce": .string("S")],
            secret: Self.password,
            access: ItemAccess(descriptor: "", trustedApplications: nil),
            at: path("work")
        ).identifier
        let shown = "\(Self.collections)/work/\(item.bytes.hexadecimal)"
        #expect(try nextSignal("ItemCreated")?.content == shown)
        try files.files.update(item, .init(attributes: ["labl": .string("L")]), at: path("work"))
        #expect(try nextSignal("ItemChanged")?.content == shown)
        #expect(try client.search(["service": "S", "username": "A"]).open == [shown])
        try files.files.remove(item, at: path("work"))
        #expect(try nextSignal("ItemDeleted")?.content == shown)
    }

    @Test("the label of a file is kept in it, and changes no path; that of session is fixed")
    func label() throws {
        try makeFile("work")
        let made = "\(Self.collections)/work"
        #expect(try client.text("Label", of: made, .collection) == "work")
        try client.set("Label", of: made, .collection, to: .text("Büro"))
        #expect(try client.text("Label", of: made, .collection) == "Büro")
        #expect(try listed.last == made)
        let session = "\(Self.collections)/session"
        #expect(try refusal { try client.set("Label", of: session, .collection, to: .text("x")) } == Self.notSupported)
        try files.files.lock(at: path("work"))
        #expect(try client.text("Label", of: made, .collection) == "Büro")
        #expect(try refusal { try client.set("Label", of: made, .collection, to: .text("x")) } == Self.isLocked)
    }

    @Test("the label of login is kept beside the aliases, announced, and has a maximum length")
    func loginLabel() throws {
        try client.setAlias("mine", to: TestClient.login)
        try client.set("Label", of: TestClient.byDefault, .collection, to: .text("Büro"))
        #expect(try nextSignal("PropertiesChanged", containing: "Label")?.path == TestClient.login)
        #expect(try nextSignal("CollectionChanged")?.content == TestClient.login)
        #expect(try client.text("Label", of: TestClient.login, .collection) == "Büro")
        #expect(try client.readAlias("mine") == TestClient.login)
        #expect(try FileCollections(preferences, servedBy: files).loginLabel() == "Büro")
        let long = String(repeating: "x", count: FileCollections.maximumLabelByteCount + 1)
        let refused = try refusal { try client.set("Label", of: TestClient.login, .collection, to: .text(long)) }
        #expect(refused == "org.freedesktop.DBus.Error.InvalidArgs")
        try client.set("Label", of: TestClient.login, .collection, to: .text(""))
        #expect(try client.text("Label", of: TestClient.login, .collection) == "")
    }

    @Test("aliases are kept, the one called default is the default keychain, and no object removes one")
    func aliases() throws {
        try makeFile("work")
        let made = "\(Self.collections)/work"
        #expect(try client.readAlias("default") == TestClient.login)
        try client.setAlias("default", to: made)
        #expect(try client.readAlias("default") == made)
        #expect(try preferences.defaultKeychain() == path("work"))
        let item = try client.store(["a": "b"], "s", session: client.openSession())
        #expect(item.hasPrefix(made + "/"))
        #expect(try client.text("Label", of: TestClient.byDefault, .collection) == "work")
        #expect(try client.createCollection("x", alias: "default") == (made, "/"))
        try client.setAlias("mine_1", to: made)
        try client.setAlias("other", to: "\(Self.collections)/session")
        let again = FileCollections(preferences, servedBy: files)
        #expect(try again.element(ofAlias: "mine_1") == "work" && again.element(ofAlias: "other") == "session")
        #expect(try client.paths("Items", of: "\(TestClient.root)/aliases/mine_5f1", .collection) == [item])
        #expect(try refusal { try client.setAlias("x", to: "\(Self.collections)/none") } == Self.noObject)
        #expect(try refusal { try client.setAlias("login", to: made) } == Self.notSupported)
        #expect(try refusal { try client.setAlias("default", to: "\(Self.collections)/session") } == Self.notSupported)
        try client.setAlias("mine_1", to: "/")
        #expect(try client.readAlias("mine_1") == "/")
        try client.setAlias("default", to: TestClient.login)
        #expect(try client.readAlias("default") == TestClient.login)
        try client.setAlias("default", to: "/")
        #expect(try client.readAlias("default") == "/")
        #expect(try preferences.defaultKeychain() == nil)
        #expect(try refusal { _ = try client.text("Label", of: TestClient.byDefault, .collection) } == Self.noObject)
    }

    @Test("a collection is deleted with its file, its aliases and its place in the search list; login is not")
    func delete() throws {
        try makeFile("work")
        let made = "\(Self.collections)/work"
        try client.setAlias("mine", to: made)
        #expect(try client.call(made, of: .collection, calling: "Delete", reading: { $0.objectPath() }) == "/")
        #expect(access(path("work"), F_OK) != 0)
        #expect(try client.readAlias("mine") == "/")
        #expect(try preferences.searched() == [.dataProtection])
        #expect(try nextSignal("CollectionDeleted")?.content == made)
        for path in [TestClient.login, "\(Self.collections)/session", TestClient.byDefault] {
            #expect(try refusal { try client.send(path, of: .collection, calling: "Delete") } == Self.notSupported)
        }
        #expect(try refusal { try client.send(made, of: .collection, calling: "Delete") } == Self.noObject)
    }

    @Test("what is no keychain of this user is no collection, and keeps none of the others from being one")
    func hostile() throws {
        try makeFile("work")
        let folder = preferences.home.keychainFolder
        for name in ["damaged", "pipe", "folder", "circle", "gone"] { try preferences.addToSearchList(path(name)) }
        _ = try AtomicFile.create(path("damaged"), Array("no keychain".utf8))
        #expect(mkfifo("\(folder)/pipe.keychain-db", 0o600) == 0)
        #expect(mkdir("\(folder)/folder.keychain-db", 0o700) == 0)
        #expect(symlink("circle.keychain-db", "\(folder)/circle.keychain-db") == 0)
        if geteuid() == 0 {
            try preferences.addToSearchList(path("foreign"))
            _ = try AtomicFile.create(path("foreign"), [])
            #expect(chown(path("foreign"), 1, 1) == 0)
        }
        #expect(try listed.dropFirst(2) == ["\(Self.collections)/work"])
        #expect(try client.search([:]).open.isEmpty)
        let damaged = "\(Self.collections)/damaged"
        #expect(try refusal { _ = try client.text("Label", of: damaged, .collection) } != nil)
        #expect(try client.change("Unlock", [damaged, "\(Self.collections)/pipe"]) == ([], "/"))
        #expect(try client.change("Lock", [damaged, TestClient.login]).prompt == "/")
        let long = String(repeating: "a", count: 200)
        #expect(
            try refusal { _ = try client.createCollection(long + long) } == "org.freedesktop.DBus.Error.InvalidArgs"
        )
        #expect(try listed.count == 3)
    }

    @Test("names of files with a meaning in paths, and two of one name, have elements of their own")
    func names() throws {
        try makeFile("a/../b")
        let other = home.path(of: "other/work.keychain")
        try files.files.create(at: other, password: Self.password)
        for name in ["work", "login", "Ä_ö"] { try makeFile(name) }
        try preferences.addToSearchList(other)
        let elements = try FileCollections(preferences, servedBy: files).files().map(\.element)
        #expect(Set(elements).count == elements.count && elements.count == 5)
        #expect(elements.contains("work") && elements.contains(PathElement.of(other)))
        #expect(elements.contains("_c3_84_5f_c3_b6") && elements.contains(PathElement.of(path("login"))))
        #expect(try listed.contains(TestClient.login))
        answers.texts.withLock { $0 = ["p"] }
        // The direction of text (Unicode Standard Annex 9) and line feeds are nothing that a list of files should show.
        try client.show(try client.createCollection("../../.ev\u{202E}i\nl").prompt)
        let created = try #require(try nextSignal("Completed")?.content)
        #expect(created == "done \(Self.collections)/\(PathElement.of("_.._.ev_i_l"))")
    }

    @Test("secret-tool stores in a keychain file, finds it there, and locks every collection")
    func secretTool() throws {
        try makeFile("work")
        let shell = Shell(environment: [
            "DBUS_SESSION_BUS_ADDRESS": front.bus.address, "HOME": home.path, "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
        ])
        let words = ["store", "--collection=\(Self.collections)/work", "--label=L", "service", "S", "account", "A"]
        let stored = try shell.run("/usr/bin/secret-tool", words, input: "open sesame")
        #expect(stored == Shell.Outcome(status: 0, output: "", errors: ""))
        let found = try files.files.items(
            FileItemConditions(.genericPassword, ["svce": .string("S")]),
            at: path("work")
        )
        #expect(found.map { $0.attributes["labl"] } == [.string("L")])
        // A name is that of an alias.
        try client.setAlias("mine", to: "\(Self.collections)/work")
        let other = try shell.run(
            "/usr/bin/secret-tool",
            ["store", "--collection=mine", "--label=M", "a", "b"],
            input: "x"
        )
        #expect(other.status == 0)
        #expect(try client.paths("Items", of: "\(Self.collections)/work", .collection).count == 2)
        let lookup = try shell.run("/usr/bin/secret-tool", ["lookup", "account", "A", "service", "S"])
        #expect(lookup == Shell.Outcome(status: 0, output: "open sesame", errors: ""))
        // Its status is that of a crash in its own end, in some versions.
        _ = try shell.run("/usr/bin/secret-tool", ["lock"])
        #expect(try files.files.status(at: path("work")).isLocked)
        #expect(try client.search(["service": "S"]).locked.count == 1)
    }

    @Test("there are 64 files at most: others are left out, and no more are made")
    func limit() throws {
        _ = try AtomicFile.create(home.path(of: "first.keychain"), [])
        for number in 0..<70 {
            let path = home.path(of: "\(number).keychain")
            #expect(link(home.path(of: "first.keychain"), path) == 0)
            try preferences.addToSearchList(path)
        }
        let collections = FileCollections(preferences, servedBy: files)
        #expect(try collections.files().count == 64)
        #expect(try !collections.hasRoom())
        #expect(try refusal { _ = try client.createCollection("a") } == "org.freedesktop.DBus.Error.LimitsExceeded")
        for number in 0..<CollectionPreferences.maximumAliasCount {
            try client.setAlias("\(number)", to: TestClient.login)
        }
        let more = try refusal { try client.setAlias("more", to: TestClient.login) }
        #expect(more == "org.freedesktop.DBus.Error.InvalidArgs")
        #expect(try listed == [TestClient.login, "\(Self.collections)/session"], "none of them is a keychain")
    }
}
