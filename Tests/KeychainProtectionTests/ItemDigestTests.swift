// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainProtection

/// The digest of an item's secret, whose tag lies in the clear: nothing to guess at the secret with.
struct ItemDigestTests {
    private let store: TestStore

    init() throws { store = try TestStore.withPasscode() }

    private func digest(_ level: Accessibility, _ secret: SecretBytes) throws -> AttributeValue? {
        var item = Item.sample(level, secret: secret)
        _ = try store.device().seal(&item, tags: store.device().searchTags())
        return item.attributes[.digest]
    }

    @Test("it takes the key of the class, and not only one that the root key opens without the passcode")
    func takesTheKeyOfTheClass() throws {
        let levels = Accessibility.stored
        let digests = try levels.map { try digest($0, "1234") }
        #expect(Set(digests).count == levels.count && !digests.contains(nil))
        // Without the passcode there is no such key.
        let locked = Sealer(try store.keybag())
        #expect(throws: ProtectionError.classUnavailable("ak")) { try locked.key(.classKey(.whenUnlocked)) }
    }

    @Test("it depends on the secret")
    func dependsOnSecret() throws {
        #expect(try digest(.whenUnlocked, "1234") == digest(.whenUnlocked, "1234"))
        #expect(try digest(.whenUnlocked, "1234") != digest(.whenUnlocked, "1235"))
    }
}
