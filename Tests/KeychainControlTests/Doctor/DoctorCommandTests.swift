// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl doctor` on a keychain with one item, and on what is no query.
struct DoctorCommandTests {
    private static let secret = "secret-0001-7f3a"

    private static func control() throws -> Control {
        let keychain = EmbeddedKeychain.inMemory()
        let item: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("com.example.auth"), "acct": .string("User"),
            "v_Data": .data(SecretBytes(Array(secret.utf8))),
        ]
        _ = try keychain.perform(KeychainRequest(.add(item), client: Client(accessGroups: ["TEAMID.app"])))
        return Control(keychain)
    }

    private static let propertyList = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>class</key><string>genp</string><key>acct</key><string>user</string>
        <key>svce</key><string>com.example.auth</string><key>r_Data</key><true/>
        </dict></plist>
        """

    @Test(
        "a query is read in every notation",
        arguments: [
            #"{"kSecClass": "kSecClassGenericPassword", "kSecAttrAccount": "user", "kSecAttrService": "com.example.auth"}"#,
            #"{"class": "genp", "acct": "user", "svce": "com.example.auth"}"#,
            #"[kSecClass as String: kSecClassGenericPassword, kSecAttrAccount: "user", kSecAttrService: "com.example.auth"]"#,
            propertyList,
        ]
    )
    func notationIsRead(_ query: String) throws {
        var control = try Self.control()
        control.input = query
        let outcome = try control.run(["doctor", "-", "--json"])
        #expect(outcome.status == 0, "\(outcome.error)\(outcome.remarks)")
        #expect(outcome.output.contains("\"id\": \"attribute-format\""))
        #expect(!outcome.output.contains(Self.secret))
    }

    @Test(
        "what is no query is refused, with the exit status 2",
        arguments: [
            "", "{", "{\"kSecClass\": ", "[1, 2]", "[kSecClass: kSecClassKey", "[:", "\u{0}\u{1}", "{\"op\": \"copy\"}",
        ]
    )
    func badInputIsRefused(_ query: String) throws {
        var control = try Self.control()
        control.input = query
        let outcome = try control.run(["doctor", "-"])
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.remarks.hasPrefix("Error: "))
    }

    @Test("the exit status says whether the call is explained")
    func exitStatus() throws {
        var control = try Self.control()
        control.input = #"{"class": "genp", "acct": "User"}"#
        #expect(try control.run(["doctor", "-"]).status == 0)
        #expect(try control.run(["doctor", "-", "--status", "errSecInteractionNotAllowed"]).status == 3)
        #expect(try control.run(["doctor", "-", "--status", "errSecNothing"]).status == 2)
        control.input = #"{"class": "genp", "zzzz": "User"}"#
        #expect(try control.run(["doctor", "-"]).status == 1)
    }

    @Test("a call that has no end, or is too long, is refused", arguments: ["/dev/zero", "sparse"])
    func longCall(_ name: String) throws {
        let folder = try TemporaryFolder()
        let path = name.hasPrefix("/") ? name : folder.path(of: name)
        if !name.hasPrefix("/") {
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(truncate(path, 1 << 32) == 0)
        }
        let outcome = try Self.control().run(["doctor", path])
        #expect(outcome.status == 2 && outcome.remarks.contains("has more than"), "\(outcome)")
    }

    @Test("a store that cannot be read gives the exit status 4")
    func unreadableStore() throws {
        var control = Control(UnavailableKeychain(reason: "there is none"))
        control.input = #"{"class": "genp"}"#
        #expect(try control.run(["doctor", "-"]).status == 4)
    }

    @Test("without a trace --last says so")
    func noTrace() throws {
        let outcome = try Self.control().run(["doctor", "--last"])
        #expect(outcome.status == 2)
        #expect(outcome.remarks.contains("there is no trace"))
    }

    @Test("the client's groups come from its entitlements")
    func clientIsRead() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "client.json")
        try Data(#"["TEAMID.other"]"#.utf8).write(to: URL(fileURLWithPath: path))
        var control = try Self.control()
        control.input = #"{"class": "genp", "acct": "User"}"#
        let outcome = try control.run(["doctor", "-", "--client", path, "--json"])
        #expect(outcome.output.contains("\"id\": \"group-not-entitled\""), "\(outcome)")
    }

    @Test("where the client is not given, items of a program by its file name are said to be that")
    func namedProgram() throws {
        let keychain = EmbeddedKeychain.inMemory()
        let item: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("com.example.auth"), "acct": .string("User"),
            "v_Data": .data(SecretBytes([1])),
        ]
        let group = Client.group(ofProgram: "tool-1.0")
        _ = try keychain.perform(KeychainRequest(.add(item), client: Client(accessGroups: [group])))
        var control = Control(keychain)
        control.input = #"{"class": "genp", "acct": "User", "r_Data": true}"#
        for words in [["doctor", "-"], ["doctor", "-", "--status", "errSecItemNotFound"]] {
            let outcome = try control.run(words)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.output.contains("Only a program whose file is named tool-1.0 finds the item"), "\(outcome)")
            #expect(outcome.output.contains("keychainctl move --from-program FORMER"), "\(outcome)")
        }
        control.input = #"{"class": "genp", "acct": "User", "agrp": "\#(group)", "r_Data": true}"#
        #expect(try !control.run(["doctor", "-"]).output.contains("another name"))
    }

    @Test("every failed call of a trace is explained, and the last one alone")
    func traceIsExplained() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "calls.jsonl")
        let line = { (account: String, status: String) in
            #"{"v":1,"time":"2026-11-22T19:00:00.123Z","pid":1,"program":"p","op":"copy","args":{"kSecClass":"kSecClassGenericPassword","#
                + #""kSecAttrAccount":"\#(account)","kSecAttrService":"com.example.auth"},"client":{"groups":["TEAMID.app"],"#
                + #""profile":"dp-ios"},"lockState":"unlocked","status":"\#(status)","ms":0.2}"#
        }
        let lines = [
            line("User", "errSecSuccess"), line("user", "errSecItemNotFound"), line("User ", "errSecItemNotFound"),
        ]
        try Data((lines + ["garbage", ""]).joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
        let all = try Self.control().run(["doctor", "--trace", path])
        #expect(all.status == 0, "\(all)")
        #expect(all.output.contains("Summary:") && all.output.contains("attribute-format"))
        #expect(all.remarks.contains("line 4"))
        let last = try Self.control().run(["doctor", "--trace", path, "--last", "--json"])
        #expect(last.output.contains("whitespace-only") && !last.output.contains("case-only"))
    }

    @Test("a page of HTML is written to the file that is named")
    func pageIsWritten() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "report.html")
        var control = try Self.control()
        control.input = #"{"class": "genp", "acct": "user"}"#
        #expect(try control.run(["doctor", "-", "--html", path]).status == 0)
        let page = try String(contentsOfFile: path, encoding: .utf8)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("attribute-format"))
        // What is there stays, whatever it is.
        try "of the user".write(toFile: path, atomically: true, encoding: .utf8)
        let again = try control.run(["doctor", "-", "--html", path])
        #expect(again.status == 2 && again.remarks.contains(path), "\(again)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "of the user")
    }

    // MARK: - Where, when, and in which state

    /// A keychain with one item, on a device with a passcode.
    private static func keychainWithPasscode() throws -> EmbeddedKeychain {
        let keychain = try EmbeddedKeychain.inMemory(
            passcode: SecretBytes(Array("1234".utf8)),
            device: DeviceOptions(),
            clock: SystemClock()
        )
        let item: PropertyDictionary = ["class": .string("genp"), "acct": .string("User")]
        _ = try keychain.perform(KeychainRequest(.add(item), client: Client(accessGroups: ["TEAMID.app"])))
        return keychain
    }

    private static let call = #"{"class": "genp", "acct": "User", "svce": "com.example.auth"}"#

    @Test("a call is explained in the state of the device that it was made in")
    func lockState() throws {
        let keychain = try Self.keychainWithPasscode()
        var control = Control(keychain)
        control.input = #"{"class": "genp", "acct": "User", "r_Data": true}"#
        let verdict = { (state: String) in try control.run(["doctor", "-", "--json", "--lock-state", state]) }
        #expect(try verdict("unlocked").output.contains("\"id\": \"nothing-wrong\""))
        let locked = try verdict("locked")
        #expect(locked.output.contains("\"id\": \"locked-level-too-strict\""), "\(locked)")
        #expect(locked.output.contains("\"lockState\": \"locked\""), "\(locked)")
        #expect(try verdict("before-first-unlock").output.contains("\"id\": \"before-first-unlock\""))
        #expect(try verdict("ajar").status == 2)
        // The keys that an unlocked device has are not there once it is locked.
        try keychain.device.lock()
        let gone = try verdict("unlocked")
        #expect(gone.status == 4 && gone.remarks.contains("its keys are locked now"), "\(gone)")
    }

    @Test("a recorded call is explained in the state that was recorded, or else as it is now, and that is said")
    func recordedLockState() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "calls.jsonl")
        let line =
            #"{"v":1,"time":"2026-11-22T19:00:00.123Z","pid":1,"program":"p","op":"copy","args":{"kSecClass":"kSecClassGenericPassword","#
            + #""kSecAttrAccount":"User","kSecReturnData":true},"client":{"groups":["TEAMID.app"],"profile":"dp-ios"},"#
            + #""lockState":"locked","status":"errSecInteractionNotAllowed","ms":0.2}"#
        try Data((line + "\n").utf8).write(to: URL(fileURLWithPath: path))
        let keychain = try Self.keychainWithPasscode()
        let outcome = try Control(keychain).run(["doctor", "--trace", path, "--json"])
        #expect(outcome.output.contains("\"id\": \"locked-level-too-strict\""), "\(outcome)")
        // A device without a passcode is never locked.
        let other = try Self.control().run(["doctor", "--trace", path, "--json"])
        #expect(other.status == 3 && other.remarks.contains("while the device was locked"), "\(other)")
    }

    /// A folder in which a keychain can lie at the path `store`, and a command with another one, which reads a call.
    private static func controlBesideStore() throws -> (Control, TemporaryFolder) {
        var control = Control(UnavailableKeychain(reason: "not this one"))
        control.input = call
        return (control, try TemporaryFolder())
    }

    @Test("a keychain is named by its folder, which is neither made nor changed")
    func store() throws {
        let (control, folder) = try Self.controlBesideStore()
        let path = folder.path(of: "store")
        let missing = try control.run(["doctor", "-", "--store", path])
        #expect(missing.status == 4 && missing.remarks.contains("there is no keychain in that folder"), "\(missing)")
        #expect(!FileManager.default.fileExists(atPath: path))
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: path))
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string("User"), "svce": .string("com.example.auth"),
        ]
        _ = try keychain.perform(KeychainRequest(.add(item), client: Client(accessGroups: ["TEAMID.app"])))
        #expect(try control.run(["doctor", "-", "--store", path]).output.contains("Nothing is wrong"))
    }

    @Test("a damaged keychain, and one that others can write to, are errors that say so, and stay as they are")
    func unusableStore() throws {
        let (control, folder) = try Self.controlBesideStore()
        let path = folder.path(of: "store")
        do {
            let keychain = EmbeddedKeychain(at: KeychainLocation(path: path))
            _ = try keychain.storeMark()
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        #expect(chmod(path, 0o777) == 0)
        let open = try control.run(["doctor", "-", "--store", path])
        #expect(open.status == 4 && open.remarks.hasPrefix("Error: the keychain cannot be read: "), "\(open)")
        #expect(chmod(path, 0o700) == 0)
        // Only root can give a folder away, and nobody else can be asked to make one of another user.
        if geteuid() == 0 {
            #expect(chown(path, 4_711, 4_711) == 0)
            let foreign = try control.run(["doctor", "-", "--store", path])
            #expect(
                foreign.status == 4 && foreign.remarks.hasPrefix("Error: the keychain cannot be read: "),
                "\(foreign)"
            )
            #expect(chown(path, 0, 0) == 0)
        }
        for name in files {
            let file = URL(fileURLWithPath: "\(path)/\(name)")
            if try Data(contentsOf: file).starts(with: Data("SQLite format 3".utf8)) {
                try Data(repeating: 0x5A, count: 8_192).write(to: file)
                let damaged = try control.run(["doctor", "-", "--store", path])
                #expect(damaged.status == 4 && damaged.remarks.hasPrefix("Error: "), "\(damaged)")
                #expect(try Data(contentsOf: file) == Data(repeating: 0x5A, count: 8_192))
            }
        }
    }

    @Test("a history is what came before the call, until the time of the call")
    func history() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "calls.jsonl")
        let line = { (time: String, op: String) in
            #"{"v":1,"time":"2026-11-22T\#(time)Z","pid":1,"program":"p","op":"\#(op)","args":{"kSecClass":"kSecClassGenericPassword","#
                + #""kSecAttrAccount":"bert","kSecAttrService":"com.example.auth"},"client":{"groups":["TEAMID.app"],"#
                + #""profile":"dp-ios"},"status":"errSecSuccess","ms":0.2}"#
        }
        let lines = [line("19:00:00", "add"), line("20:00:00", "delete"), ""]
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
        let groups = folder.path(of: "client.json")
        try Data(#"["TEAMID.app"]"#.utf8).write(to: URL(fileURLWithPath: groups))
        var control = Control(EmbeddedKeychain.inMemory())
        control.input = #"{"class": "genp", "acct": "bert", "svce": "com.example.auth"}"#
        let words = ["doctor", "-", "--json", "--client", groups, "--history", path]
        #expect(try control.run(words).output.contains("\"id\": \"was-deleted\""))
        let earlier = try control.run(words + ["--as-of", "2026-11-22T19:30:00Z"])
        #expect(!earlier.output.contains("was-deleted"), "\(earlier)")
        #expect(try control.run(words + ["--as-of", "yesterday"]).status == 2)
        #expect(try control.run(["doctor", "--last", "--history", path]).status == 2)
        #expect(try control.run(["doctor", "--history", path]).status == 2)
    }
}
