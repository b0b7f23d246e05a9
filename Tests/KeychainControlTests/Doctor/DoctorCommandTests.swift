// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
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
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("attribute-format"))
    }
}
