// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing

@testable import KeychainMacFrontEnd

/// Calls for file-based keychains alone, of a user to whose login keychain the data protection keychain belongs.
struct LoginKeychainTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    private let asked = StandIn(usual: .success(.single(.data(SecretBytes([1, 2, 3])))))

    private var preferences: KeychainPreferences {
        KeychainPreferences(home: KeychainHome(path: folder), systemFolder: folder).withDataProtection
    }

    private func perform(
        _ operation: KeychainRequest.Operation,
        _ preferences: KeychainPreferences?
    ) throws(KeychainError) -> KeychainAnswer {
        let frontEnd = FrontEndKeychain(
            dataProtection: asked,
            files: StandIn(usual: .failure(.itemNotFound)),
            preferences: preferences
        )
        return try frontEnd.perform(KeychainRequest(operation, client: Client(accessGroups: ["g"])))
    }

    private static let query: PropertyDictionary = ["class": .string("genp"), "nleg": .boolean(false)]

    @Test("An add to the login keychain without a file stores in the data protection keychain, another one does not")
    func add() throws {
        _ = try perform(.add(["class": .string("genp")]), preferences)
        #expect(asked.operations.count == 1)
        #expect(throws: KeychainError.self) {
            try perform(.add(["class": .string("genp"), "u_Keychain": .keychain("/k")]), preferences)
        }
        #expect(throws: KeychainError.self) { try perform(.add(["class": .string("genp")]), nil) }
        #expect(asked.operations.count == 1)
    }

    @Test("What no file answers goes to the data protection keychain, an update and a delete for one item")
    func fallback() throws {
        #expect(try perform(.copyMatching(Self.query), preferences) == .single(.data(SecretBytes([1, 2, 3]))))
        _ = try perform(.delete(Self.query), preferences)
        _ = try perform(.update(Self.query, attributes: ["labl": .string("x")]), preferences)
        let item: PropertyDictionary = ["class": .string("genp"), "v_PersistentRef": .data(SecretBytes([1, 2, 3]))]
        #expect(asked.operations.count == 5)
        guard asked.operations.count == 5, case .delete(let deleted) = asked.operations[2],
            case .update(let updated, _) = asked.operations[4]
        else {
            Issue.record("another sequence of calls")
            return
        }
        #expect(deleted == item)
        #expect(updated == item)
    }

    @Test("A search list without the login keychain, and a search among objects, leave it out")
    func leftOut() throws {
        var named = Self.query
        named["m_SearchList"] = .array([.keychain("/k")])
        #expect(throws: KeychainError.self) { try perform(.copyMatching(named), preferences) }
        named["m_SearchList"] = .array([.keychain(preferences.home.loginKeychainPath)])
        #expect(throws: Never.self) { try perform(.copyMatching(named), preferences) }
        try preferences.setSearchList(["/k"])
        #expect(throws: KeychainError.self) { try perform(.copyMatching(Self.query), preferences) }
        try FileManager.default.removeItem(atPath: folder)
        #expect(asked.operations.count == 1)
    }
}
