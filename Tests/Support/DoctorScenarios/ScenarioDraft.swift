// SPDX-License-Identifier: Apache-2.0

import Conformance
import Foundation
import KeychainCore
import KeychainTestSupport

/// A call that works, which a mistake changes: an item among decoys, and a copy of its data by service and account.
struct ScenarioDraft {
    typealias Dictionary = [String: JSONValue]

    let service: String
    let account: String
    var item: Dictionary
    var decoys: [Dictionary] = []
    /// After the item was stored.
    var steps: [JSONValue] = []
    /// Before it is stored.
    var before: [JSONValue] = []
    var saves: String?
    var isStored = true
    var operation = "copy"
    var query: Dictionary
    var update: Dictionary?
    /// Other members of the row.
    var options: [String: JSONValue] = [:]
    /// Whether a lighter second mistake may come on top.
    var hasSecondMistake: Bool

    init(_ generator: inout SeededGenerator) {
        let words = ["auth", "sync", "backup", "mail", "vault", "billing"]
        let people = ["alice", "bob", "carol", "dave", "erin"]
        let word = words.randomElement(using: &generator) ?? "auth"
        let person = people.randomElement(using: &generator) ?? "alice"
        service = "com.example.\(word)"
        account = "\(person)@example.com"
        item = Self.password(service, account, using: &generator)
        query = [
            "kSecClass": .string("kSecClassGenericPassword"), "kSecAttrService": .string(service),
            "kSecAttrAccount": .string(account), "kSecReturnData": .boolean(true),
        ]
        hasSecondMistake = Bool.random(using: &generator)
        // Decoys differ in both key attributes; some look alike otherwise.
        for number in 0..<Int.random(in: 0...4, using: &generator) {
            var decoy = Self.password("org.example.decoy\(number)", "user\(number)", using: &generator)
            if Bool.random(using: &generator) { decoy["kSecAttrDescription"] = .string("token") }
            decoys.append(decoy)
        }
    }

    static func password(_ service: String, _ account: String, using generator: inout SeededGenerator) -> Dictionary {
        let number = Int.random(in: 100_000...999_999, using: &generator)
        return [
            "kSecClass": .string("kSecClassGenericPassword"), "kSecAttrService": .string(service),
            "kSecAttrAccount": .string(account),
            "kSecValueData": .object(["data": .string(Base64.text("secret-\(number)-\(service)"))]),
        ]
    }

    static func step(_ operation: String, _ arguments: Dictionary = [:], expect: String? = nil) -> JSONValue {
        var members: Dictionary = ["op": .string(operation), "args": .object(arguments)]
        if let expect { members["expect"] = .object(["status": .string(expect)]) }
        return .object(members)
    }

    static func groups(_ groups: String...) -> JSONValue {
        step("setGroups", ["groups": .array(groups.map { .string($0) })])
    }

    /// The row.
    func scenario(_ seed: UInt64, _ mistake: Mistake) -> Scenario {
        var all = decoys.map { Self.step("add", $0) } + before
        if isStored {
            var add: Dictionary = ["op": .string("add"), "args": .object(item)]
            if let saves { add["save"] = .string(saves) }
            all.append(.object(add))
        }
        all += steps
        var call: Dictionary = ["op": .string(operation), "args": .object(query)]
        if let update { call["update"] = .object(update) }
        var row: Dictionary = [
            "id": .string("random-\(seed)"), "title": .string(mistake.rawValue), "steps": .array(all),
            "call": .object(call), "expect": .object(["verdict": .string(mistake.verdict)]),
        ]
        row.merge(options) { $1 }
        do { return try Scenario(.object(row)) } catch { preconditionFailure("\(error)") }
    }
}

/// Base64 of a text (RFC 4648, section 4).
enum Base64 {
    static func text(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}
