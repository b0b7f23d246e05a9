// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainControl

/// How `keychainctl import` changes the keychain: several passwords at once, each whole, and further after an end.
struct ImportChangesTests {
    private var scene: ItemScene

    init() throws { scene = try ItemScene() }

    /// A keychain that looks at each add before it makes it.
    private final class WatchedKeychain: KeychainBackend {
        let keychain: EmbeddedKeychain
        private let beforeAdd: @Sendable (PropertyDictionary) throws(KeychainError) -> Void

        init(
            _ keychain: EmbeddedKeychain = .inMemory(device: .withNegligibleWork),
            beforeAdd: @escaping @Sendable (PropertyDictionary) throws(KeychainError) -> Void
        ) {
            (self.keychain, self.beforeAdd) = (keychain, beforeAdd)
        }

        var families: CommandFamily { keychain.families }

        func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
            if case .items(let request) = command, case .add(let item) = request.operation { try beforeAdd(item) }
            return try keychain.carryOut(command)
        }
    }

    private func table(_ count: Int) throws -> String {
        let lines = (0..<count).map { "svc\($0),,ada,secret-\($0)\n" }
        return try file("name,url,username,password\n" + lines.joined())
    }

    private func file(_ text: String) throws -> String {
        let path = scene.folder.path(of: UUID().uuidString)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("several changes are made at once, and reported in the order of the file")
    func together() throws {
        // Each of the first ones waits for another one.
        let state = Mutex(0)
        let others = DispatchSemaphore(value: 0)
        let keychain = WatchedKeychain { _ in
            let number = state.withLock { count in
                count += 1
                return count
            }
            guard number <= 4 else { return }
            if number == 4 {
                for _ in 0..<3 { others.signal() }
            } else {
                #expect(others.wait(timeout: .now() + .seconds(300)) == .success)
            }
        }
        let outcome = try Control(keychain).run(["import", try table(600), "--json"])
        #expect(outcome.status == 0, "\(outcome.error)")
        let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        let added = try #require(json?["added"] as? [[String: Any]])
        #expect(added.map { $0["service"] as? String } == (0..<600).map { "svc\($0)" })
    }

    @Test(
        "what ends an import is said, what is in the keychain stays, and the next import goes on",
        arguments: [1, 300]
    )
    func ended(_ last: Int) throws {
        let count = Mutex(0)
        let isBroken = Mutex(true)
        let keychain = WatchedKeychain { (_) throws(KeychainError) in
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number < last || !isBroken.withLock(\.self) else {
                throw KeychainError(.diskFull, "there is no room")
            }
        }
        let path = try table(500)
        let control = Control(keychain)
        let ended = try control.run(["import", path])
        #expect(ended.status == 1 && ended.error.contains("there is no room; what is in the keychain stays there"))
        #expect(ended.output.contains("Added \(last - 1) password"), "\(ended.output)")
        // Of those that follow, only the ones that other threads had begun.
        #expect(count.withLock(\.self) < last + ConcurrentWork.threadCount)
        isBroken.withLock { $0 = false }
        let next = try control.run(["import", path])
        #expect(next.status == 0, "\(next)")
        #expect(
            next.output.contains("Added \(501 - last) passwords" + (last > 1 ? ", \(last - 1) in the keychain" : ""))
        )
    }

    @Test("of two with one name, the second is taken if the keychain does not take the first")
    func refusedFirst() throws {
        let count = Mutex(0)
        let keychain = WatchedKeychain { (_) throws(KeychainError) in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { throw .parameter("it is not taken") }
        }
        let path = try file("name,url,username,password\nsvc,,ada,1\nsvc,,ada,2\nsvc,,ada,3\n")
        let outcome = try Control(keychain).run(["import", path])
        #expect(outcome.status == 1 && outcome.output.contains("svc/ada (line 2): it is not taken"), "\(outcome)")
        #expect(outcome.output.contains("svc/ada (line 4): password"), "\(outcome)")
        var scene = scene
        scene.control.keychain = keychain
        #expect(try scene.run("get", "svc/ada").text == "2")
    }

    @Test("on a full disk nothing is lost, and a second import completes it once there is room")
    func fullDisk() throws {
        let location = KeychainLocation(path: scene.folder.path(of: "keychain"))
        func keychain(mebibytes: Int?) -> EmbeddedKeychain {
            var options = StoreOptions(makesChangesTogether: true)
            options.largestMebibytes = mebibytes
            return EmbeddedKeychain(at: location, options: options, device: .withNegligibleWork)
        }
        let secret = String(repeating: "x", count: 10_000)
        let lines = (0..<300).map { "svc\($0),,ada,\(secret)\($0)\n" }
        let path = try file("name,url,username,password\n" + lines.joined())
        let full = try Control(keychain(mebibytes: 2)).run(["import", path])
        #expect(full.status == 1 && full.error.contains("what is in the keychain stays there"), "\(full)")
        var scene = scene
        scene.control.keychain = keychain(mebibytes: nil)
        let there = try scene.run("list").output.split(separator: "\n").count
        #expect(
            there > 50 && there < 300 && full.output.contains("Added \(there) passwords"),
            "\(there): \(full.output)"
        )
        let next = try scene.run("import", path)
        #expect(next.status == 0 && next.output.contains("Added \(300 - there) passwords, \(there) in"), "\(next)")
        #expect(try keychain(mebibytes: nil).check().isSound)
        #expect(try scene.run("get", "svc299/ada").text == "\(secret)299")
    }

    @Test("attributes of the Secret Service that an ended import has not given are given by the next", arguments: 0...1)
    func incomplete(_ done: Int) throws {
        let lookup =
            #"{"contentType": "text/x", "attributes": [["account", "ada"], ["more", "s"], ["service", "svc"]]}"#
        let path = try file(
            """
            {"format": "swift-keychain passwords", "version": 1, "items": [{"class": "generic", "password": "1",
            "attributes": {"svce": "svc", "acct": "ada"}, "secretService": \(lookup)}]}
            """
        )
        try scene.add(.genericPassword, ["svce": .string("svc"), "acct": .string("ada")], secret: "1")
        let keychain = scene.control.keychain
        let identifier = try #require(try keychain.lookups().first?.item.identifier)
        if done > 0 {
            let pairs = [("account", "ada"), ("more", "s"), ("service", "svc")].map(LookupAttributes.Pair.init)
            _ = try keychain.perform(.person(.change(identifier, .attributes(try LookupAttributes(pairs)))))
        }
        let outcome = try scene.run("import", path)
        #expect(outcome.status == 0 && outcome.output.contains("1 replaced"), "\(outcome)")
        let record = try #require(try keychain.lookupRecord(of: identifier))
        #expect(record.contentType == "text/x" && record.attributes["more"] == "s")
        #expect(try scene.run("import", path).output.contains("1 in the keychain already"))
    }

    @Test("a password that was renamed since a program of the Secret Service stored it keeps its name and attributes")
    func renamed() throws {
        let pairs = [("account", "ada"), ("more", "s"), ("service", "svc")].map(LookupAttributes.Pair.init)
        let contents = LookupContents.item("label", try LookupAttributes(pairs), secret: "1")
        try scene.control.keychain.store(contents)
        #expect(try scene.run("rename", "svc/ada", "new/bob").status == 0)
        let path = scene.folder.path(of: "file")
        #expect(try scene.run("export", "--all", "--output", path).status == 0)
        let other = try ItemScene()
        #expect(try other.run("import", path).status == 0)
        #expect(try other.run("get", "new/bob").text == "1")
        #expect(try other.control.keychain.lookups().map(\.item.attributes["more"]) == ["s"])
        #expect(try other.run("import", path).output.hasPrefix("Added 0 passwords, 1 in the keychain already"))
    }

    @Test("killed in the middle, each password is there whole or not at all, and a second import completes it")
    func killed() throws {
        let folder = scene.folder
        let path = try table(2_000)
        let log = folder.path(of: "keychain/keychain.db-wal")
        for round in 1...3 {
            let process = try ControlProcess(["keychainctl", "import", path], folder)
            // Until the log has grown that far; at the latest when the import has long ended.
            var status = stat()
            for _ in 0..<60_000 where stat(log, &status) != 0 || status.st_size < round << 20 { usleep(1_000) }
            process.send(SIGKILL)
            _ = try process.wait()
        }
        let (status, csv) = try ControlProcess.run(["keychainctl", "export", "--all", "--format", "csv"], folder)
        #expect(status == 0, "\(csv.prefix(500))")
        let rows = csv.split(separator: "\r\n").compactMap { line -> [String]? in
            let fields = line.split(separator: ",").map { $0.filter { $0 != "\"" } }
            return fields.first == "generic" ? fields : nil
        }
        #expect(!rows.isEmpty && rows.count < 2_000, "\(rows.count)")
        for row in rows { #expect(row[3] == row[1].replacing("svc", with: "secret-")) }
        let (next, output) = try ControlProcess.run(["keychainctl", "import", path], folder)
        #expect(next == 0 && output.contains("Added \(2_000 - rows.count) passwords"), "\(output)")
        let (check, text) = try ControlProcess.run(["keychainctl", "check"], folder)
        #expect(check == 0 && text.contains("sound, 2000 items"), "\(text)")
    }
}
