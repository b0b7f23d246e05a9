// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import KeychainTesting
import Testing

@testable import Keychain

@Suite("A set over the item functions starts over if another process was faster", .keychain)
struct RacingSetTests {
    /// The item functions, with somebody else who adds the same just before.
    private struct Racing: ItemTransport {
        private let functions = FunctionTransport()

        func add(_ attributes: [String: Any]) throws(TransportFailure) -> AnyObject? {
            var other = attributes
            other["v_Data"] = Data("somebody else's".utf8)
            _ = try functions.add(other)
            return try functions.add(attributes)
        }

        func copyMatching(_ query: [String: Any]) throws(TransportFailure) -> AnyObject? {
            try functions.copyMatching(query)
        }

        func update(_ query: [String: Any], _ attributes: [String: Any]) throws(TransportFailure) {
            try functions.update(query, attributes)
        }

        func delete(_ query: [String: Any]) throws(TransportFailure) { try functions.delete(query) }

        func set(
            _ query: [String: Any],
            _ attributes: [String: Any],
            orAdd addition: [String: Any]
        ) throws(TransportFailure) {
            try updateOrAdd(query, with: attributes, adding: addition)
        }

        func defaultAccessGroup() throws(TransportFailure) -> String? { try functions.defaultAccessGroup() }

        var scope: ChangeScope { functions.scope }
    }

    @Test("It changes what the other one added")
    func race() throws {
        let keychain = SystemKeychain(Racing())
        let item = GenericPassword(service: "s")
        try keychain.set("mine", for: item, protection: .accessible(.whenUnlocked))
        #expect(try keychain.string(for: item) == "mine")
        #expect(try keychain.items(matching: .everyGenericPassword).count == 1)
    }
}
