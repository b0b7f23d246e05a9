// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainServices
import KeychainTesting
import Testing

/// The engine's set, by dictionaries.
@Suite("A set of the engine is an update or an add", .keychain)
struct EngineSetTests {
    private func perform(_ operation: KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer {
        let context = KeychainContext.inEffect
        return try context.backend.perform(KeychainRequest(operation, client: context.client))
    }

    private func set(_ value: String, account: String = "a", label: PropertyValue = .string("l")) throws(KeychainError)
    {
        let query: [String: PropertyValue] = ["class": .string("genp"), "acct": .string(account)]
        var addition = query
        addition["v_Data"] = .data(SecretBytes(Array(value.utf8)))
        addition["labl"] = label
        let attributes: [String: PropertyValue] = ["v_Data": .data(SecretBytes(Array(value.utf8)))]
        _ = try perform(
            .set(
                PropertyDictionary(query),
                attributes: PropertyDictionary(attributes),
                addition: PropertyDictionary(addition)
            )
        )
    }

    private func attributes() throws -> KeychainAnswer {
        try perform(
            .copyMatching(
                PropertyDictionary([
                    "class": .string("genp"), "r_Attributes": .boolean(true), "r_Data": .boolean(true),
                    "m_Limit": .string("m_LimitAll"),
                ])
            )
        )
    }

    @Test("It adds once, and changes the same row afterwards")
    func row() throws {
        try set("one")
        try set("two")
        guard case .list(let found) = try attributes(), case .dictionary(let item)? = found.first else {
            Issue.record("nothing is there")
            return
        }
        #expect(found.count == 1)
        #expect(item["v_Data"] == .data(SecretBytes(Array("two".utf8))))
        #expect(item["labl"] == .string("l"), "what only the add says is not changed")
    }

    @Test("Both dictionaries are checked, whichever will be used")
    func checks() throws {
        try set("one")
        let error = #expect(throws: KeychainError.self) { try set("two", label: .null) }
        #expect(error?.status == .parameter)
        guard case .list(let found) = try attributes(), case .dictionary(let item)? = found.first else { return }
        #expect(item["v_Data"] == .data(SecretBytes(Array("one".utf8))), "nothing has changed")
    }

    @Test("An app without groups is told so")
    func groups() throws {
        let context = KeychainContext(backend: KeychainContext.inEffect.backend, client: Client(accessGroups: []))
        let error = KeychainContext.$current.withValue(context) {
            #expect(throws: KeychainError.self) { try set("one") }
        }
        #expect(error?.status == .missingEntitlement)
    }
}
