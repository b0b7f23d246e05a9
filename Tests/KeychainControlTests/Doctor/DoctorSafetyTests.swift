// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainPropertyLists
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// What `keychainctl doctor` must never do: advise a delete or an overwrite of another item, rest a verdict on a value
/// that it does not know, pass on what a terminal obeys, or show what it is to hide.
struct DoctorSafetyTests {
    private static func control(accounts: [String], input: String) throws -> Control {
        let keychain = EmbeddedKeychain.inMemory()
        for account in accounts {
            let item: PropertyDictionary = [
                "class": .string("genp"), "svce": .string("svc1"), "acct": .string(account),
                "v_Data": .data(SecretBytes(Array("kept-\(account)".utf8))),
            ]
            _ = try keychain.perform(KeychainRequest(.add(item), client: Client(accessGroups: ["TEAMID.app"])))
        }
        var control = Control(keychain)
        control.input = input
        return control
    }

    private static func id(_ verdict: String) -> String { "\"id\": \"\(verdict)\"" }

    // MARK: - Property lists

    @Test("a list on which Foundation crashes or hangs is no query", arguments: HostilePropertyList.allCases)
    func hostileQuery(_ list: HostilePropertyList) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "query.plist")
        try list.data("svce").write(to: URL(fileURLWithPath: path))
        #expect(try Self.control(accounts: [], input: "").run(["doctor", path]).status != 0)
    }

    @Test("a list on which Foundation crashes or hangs is no client", arguments: HostilePropertyList.allCases)
    func hostileClient(_ list: HostilePropertyList) throws {
        #expect(throws: BadInput.self) { try GroupsFile.groups(list.data()) }
    }

    // MARK: - Combining marks

    @Test(
        "a query in which more combining marks follow each other than there may be is refused, in every notation",
        arguments: [
            #"{"class": "genp", "MARKS": "a"}"#, #"{"class": "genp", "svce": "MARKS"}"#,
            #"{"class": "genp", "svce": "ESCAPES"}"#, #"{"op": "copy", "args": {"kSecClass": "MARKS"}}"#,
            #"let query = [kSecClass: kSecClassGenericPassword, "MARKS": "a"]"#,
            #"let query = [kSecClass: kSecClassGenericPassword, kSecAttrService: "MARKS"]"#,
            #"let query = [kSecClass: kSecClassGenericPassword, "LITERALS": "a"]"#,
        ]
    )
    func marks(_ query: String) throws {
        func text(_ count: Int) -> String {
            query.replacingOccurrences(of: "MARKS", with: "a" + String(repeating: "\u{301}", count: count))
                .replacingOccurrences(of: "ESCAPES", with: String(repeating: #"\u0301"#, count: count))
                .replacingOccurrences(of: "LITERALS", with: String(repeating: #"\u{301}"#, count: count))
        }
        #expect(throws: BadInput.self) { try QueryText(Data(text(1025).utf8)) }
        if !query.contains("\"op\"") { #expect(throws: Never.self) { try QueryText(Data(text(1024).utf8)) } }
    }

    @Test(
        "a client in which more combining marks follow each other than there may be is refused, in every notation",
        arguments: [#"["MARKS"]"#, #"{"groups": ["MARKS"]}"#, "[Dict]\n[Key] MARKS\n[Value]\n[String] a"]
    )
    func markedClient(_ client: String) throws {
        func bytes(_ count: Int) -> Data {
            Data(client.replacingOccurrences(of: "MARKS", with: String(repeating: "\u{301}", count: count)).utf8)
        }
        #expect(throws: BadInput.self) { try GroupsFile.groups(bytes(1025)) }
        #expect(throws: Never.self) { try GroupsFile.groups(bytes(1024)) }
    }

    @Test("a group that several entitlements name is there once, in the place of the first")
    func groupsOnce() {
        let many = (0..<45_000).map { "group\($0)" }
        let groups = GroupsFile.groups(of: [
            "keychain-access-groups": .array((many + many).map(PropertyListValue.string)),
            "application-identifier": .string("app"),
            "com.apple.security.application-groups": .array([.string("group7"), .string("last")]),
        ])
        #expect(groups == many + ["app", "last"])
    }

    // MARK: - Advice

    @Test("no delete of another item is advised, and not found is done")
    func deleteOfAnother() throws {
        let control = try Self.control(
            accounts: ["alice"],
            input: #"{"class": "genp", "svce": "svc1", "acct": "bob"}"#
        )
        let outcome = try control.run(["doctor", "-", "--call", "delete"])
        #expect(outcome.status == 0)
        #expect(!outcome.output.contains("SecItemDelete("), "\(outcome.output)")
        #expect(outcome.output.contains("Take errSecItemNotFound of a delete as done"))
        #expect(outcome.output.contains("risk: data-loss-if-wrong") && outcome.output.contains("delete 1 item"))
        #expect(outcome.output.contains("Is the item in the store really the one"))
    }

    @Test("an update is printed where it means the same item, with what it overwrites")
    func updateOfAnother() throws {
        let attributes = ["--call", "update", "--attributes", #"{"v_Data": {"data": "Ym9i"}}"#]
        let other = try Self.control(accounts: ["alice"], input: #"{"class": "genp", "svce": "svc1", "acct": "bob"}"#)
            .run(["doctor", "-"] + attributes)
        #expect(!other.output.contains("SecItemUpdate("), "\(other.output)")
        #expect(other.output.contains("risk: data-loss-if-wrong") && other.output.contains("overwrite 1 item"))
        let same = try Self.control(
            accounts: ["alice"],
            input: #"{"class": "genp", "svce": "svc1", "acct": "alice", "labl": "x"}"#
        )
        .run(["doctor", "-"] + attributes)
        #expect(same.output.contains("SecItemUpdate(query as CFDictionary"), "\(same.output)")
        #expect(same.output.contains("risk: data-loss-if-wrong"))
    }

    // MARK: - Terminals

    @Test(
        "nothing that a terminal obeys is in a report, whether an item, a key or a value has it",
        arguments: [
            #"{"class": "genp", "svce": "svc1", "acct": "al"}"#,
            "[kSecClass: kSecClassGenericPassword, \"\u{1b}[31mx\": 1]",
            "[kSecClass: kSecClassGenericPassword, kSecAttrAccount: \"\u{1b}[31m\u{202e}x\", kSecAttrService: \"svc1\"]",
            "[kSecClass: kSecClassGenericPassword, \u{1b}[31m: 1]",
        ]
    )
    func terminal(_ query: String) throws {
        let accounts = ["al\u{1b}[2J\nEVIL LINE\u{202e}\u{9b}1m", "al\u{1b}]0;x\u{7}"]
        for arguments in [[], ["--json"], ["--redact"]] {
            let outcome = try Self.control(accounts: accounts, input: query).run(["doctor", "-"] + arguments)
            let text = outcome.output + outcome.remarks
            #expect(!text.isEmpty)
            for scalar in ["\u{1b}", "\u{9b}", "\u{7}"] { #expect(!text.contains(scalar), "\(arguments)") }
            if !arguments.contains("--json") { #expect(!text.unicodeScalars.contains("\u{202e}")) }
            #expect(!text.split(separator: "\n").contains { $0.hasPrefix("EVIL") })
        }
    }

    // MARK: - Values that are not known

    /// A call with a value that the text does not tell, and what may be said of it.
    struct Unknown: Sendable, CustomTestStringConvertible {
        var arguments: [String]
        var query = #"[kSecClass: kSecClassGenericPassword, kSecAttrService: "svc1", kSecAttrAccount: account]"#
        var verdict: String
        var exit: Int32 = 1
        var testDescription: String { arguments.joined(separator: " ") + " " + query }
    }

    @Test(
        "no verdict rests on a value that is not known",
        arguments: [
            Unknown(arguments: ["--call", "delete"], verdict: "ambiguous-intent"),
            Unknown(
                arguments: [],
                query:
                    #"[kSecClass: kSecClassGenericPassword, kSecAttrService: "svc1", kSecAttrAccount: a, kSecReturnData: true]"#,
                verdict: "ambiguous-intent"
            ),
            Unknown(arguments: ["--status", "-25300"], verdict: "not-reproduced", exit: 3),
            Unknown(arguments: ["--call", "add", "--status", "-25299"], verdict: "not-reproduced", exit: 3),
            Unknown(
                arguments: ["--call", "update", "--attributes", "[kSecAttrAccount: newName]"],
                query: #"[kSecClass: kSecClassGenericPassword, kSecAttrService: "svc1", kSecAttrAccount: "alice"]"#,
                verdict: "ambiguous-intent"
            ),
            Unknown(
                arguments: ["--status", "-34018"],
                query: "[kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: group]",
                verdict: "not-reproduced",
                exit: 3
            ),
            Unknown(
                arguments: [],
                query: #"[kSecClass: someClass, kSecAttrService: "svc1"]"#,
                verdict: "ambiguous-intent"
            ),
            Unknown(
                arguments: ["--used-as", "data"],
                query:
                    #"[kSecClass: kSecClassGenericPassword, kSecAttrService: "svc1", kSecAttrAccount: "alice", kSecReturnData: flag]"#,
                verdict: "ambiguous-intent"
            ),
        ]
    )
    func unknownValue(_ row: Unknown) throws {
        let control = try Self.control(accounts: ["alice", "bob", "carl"], input: row.query)
        let outcome = try control.run(["doctor", "-", "--json"] + row.arguments)
        #expect(outcome.output.contains(Self.id(row.verdict)), "\(outcome.output)\(outcome.remarks)")
        #expect(outcome.status == row.exit)
        #expect(outcome.output.contains("\"text\": \"What was kSec"))
        #expect(outcome.output.contains("not known, and so left out: kSec"))
    }

    @Test(
        "what is wrong whatever the unknown value is, is said",
        arguments: [
            (#"[kSecClass: kSecClassGenericPassword, kSecAttrAccount: a, "pasword": b]"#, "query-invalid"),
            (
                #"[kSecClass: kSecClassGenericPassword, kSecAttrAccount: a, kSecAttrServer: "x"]"#,
                "attribute-not-in-class"
            ),
        ]
    )
    func faultBesideUnknownValue(_ query: String, _ verdict: String) throws {
        let outcome = try Self.control(accounts: ["alice"], input: query).run(["doctor", "-", "--json"])
        #expect(outcome.output.contains(Self.id(verdict)), "\(outcome.output)")
    }

    @Test("a secret given as a string is told from one given as data")
    func secretAsString() throws {
        let control = try Self.control(
            accounts: [],
            input: #"[kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a", kSecValueData: "hunter2"]"#
        )
        let outcome = try control.run(["doctor", "-", "--call", "add", "--status", "-50", "--json"])
        #expect(outcome.status == 0 && outcome.output.contains(Self.id("query-invalid")), "\(outcome.output)")
        #expect(!outcome.output.contains("hunter2"))
    }

    @Test(
        "what a trace hides is unknown, and what it tells of it counts",
        arguments: [
            (#""kSecAttrAccessGroup":{"hash":"60bf33d3ee2b93ac"}"#, "errSecMissingEntitlement", "not-reproduced"),
            (#""raw:pasword":{"redacted":{"type":"string","bytes":5000}}"#, "errSecParam", "query-invalid"),
            (#""kSecValueData":{"secret":{"type":"string","bytes":8}}"#, "errSecParam", "query-invalid"),
        ]
    )
    func hiddenInTrace(entry: String, status: String, verdict: String) throws {
        let line =
            #"{"v":1,"time":"2026-11-22T19:00:00.123Z","pid":1,"program":"p","op":"add","args":{"kSecClass":"kSecClassGenericPassword",\#(entry)},"client":{"groups":["TEAMID.app"],"profile":"dp-ios"},"status":"\#(status)","ms":1}"#
        let outcome = try Self.control(accounts: [], input: line).run(["doctor", "-", "--json"])
        #expect(outcome.output.contains(Self.id(verdict)), "\(outcome.output)")
    }

    // MARK: - Redaction

    @Test("a redacted report shows no part of an expression, no unknown key, and no text in the place of a constant")
    func redaction() throws {
        let query = """
            [kSecClass: "MARKclass", kSecAttrAccount: "PRIV" + "MARKacct", kSecUseCredentialReference: "MARKcred" + x,
             "MARKkey": 1, kSecMatchLimit: "MARKlimit", kSecValueRef: "MARKref"]
            """
        for arguments in [["--json"], []] {
            let outcome = try Self.control(accounts: [], input: query).run(["doctor", "-", "--redact"] + arguments)
            #expect(!(outcome.output + outcome.remarks + outcome.error).contains("MARK"), "\(outcome)")
        }
    }

    // MARK: - Input

    @Test("an entry that is given twice is refused")
    func duplicateKey() throws {
        let control = try Self.control(
            accounts: [],
            input: #"{"class": "genp", "kSecClass": "kSecClassInternetPassword"}"#
        )
        let outcome = try control.run(["doctor", "-"])
        #expect(outcome.status == 2 && outcome.remarks.contains("twice"))
    }

    @Test("integers of a property list are no Booleans")
    func propertyListIntegers() throws {
        let plist = """
            <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>class</key><string>genp</string>
            <key>m_Limit</key><integer>1</integer><key>acct</key><string>alice</string><key>r_Data</key><true/></dict></plist>
            """
        let outcome = try Self.control(accounts: ["alice"], input: plist).run(["doctor", "-", "--json"])
        #expect(outcome.output.contains(Self.id("nothing-wrong")), "\(outcome.output)")
    }

    @Test("a property list with an integer that is no UTF-8 is refused")
    func propertyListEncoding() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "query")
        let start = Data("<plist><dict><key>m_Limit</key><integer>".utf8)
        let list = start + [0xFF] + Data("</integer></dict></plist>".utf8)
        try list.write(to: URL(fileURLWithPath: path))
        let outcome = try Self.control(accounts: [], input: "").run(["doctor", path])
        #expect(outcome.status == 2, "\(outcome)")
    }

    @Test(
        "groups are read from what codesign writes, and from lists with something else in them",
        arguments: [
            "Executable=/a\n[Dict]\n\t[Key] application-identifier\n\t[Value]\n\t\t[String] TEAMID.app\n",
            "Executable=/a\n<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>keychain-access-groups</key><array>"
                + "<integer>1</integer><string>TEAMID.app</string></array></dict></plist>",
        ]
    )
    func codesign(_ output: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "client")
        try Data(output.utf8).write(to: URL(fileURLWithPath: path))
        let control = try Self.control(
            accounts: ["alice"],
            input: #"{"class": "genp", "acct": "alice", "r_Data": true}"#
        )
        let outcome = try control.run(["doctor", "-", "--client", path, "--json"])
        #expect(outcome.output.contains(Self.id("nothing-wrong")), "\(outcome)")
    }

    @Test("a history of more events than are looked at still explains the last call")
    func longTrace() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "calls.jsonl")
        let lines = (0..<1_200).map { index in
            #"{"v":1,"time":"2026-11-22T19:00:00.123Z","pid":1,"program":"p","op":"copy","args":{"kSecClass":"kSecClassGenericPassword","kSecAttrAccount":"a\#(index)"},"client":{"groups":["TEAMID.app"]},"status":"errSecItemNotFound","ms":0.2}"#
        }
        try Data(lines.joined(separator: "\n").utf8 + [0x0A]).write(to: URL(fileURLWithPath: path))
        let outcome = try Self.control(accounts: [], input: "").run(["doctor", "--trace", path, "--last", "--json"])
        #expect(outcome.output.contains("\"acct\": \"a1199\"") && !outcome.output.contains("\"a1198\""))
    }
}
