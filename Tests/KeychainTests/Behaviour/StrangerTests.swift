// SPDX-License-Identifier: Apache-2.0

import Keychain
import Security
import Testing

@Suite("A stranger at a keychain in memory")
struct StrangerTests {
    @Test("After many wrong passcodes the test still unlocks the device")
    func unlocks() throws {
        let keychain = InMemoryKeychain()
        let item = GenericPassword(service: "s")
        try keychain.set("x", for: item, protection: .guarded(.devicePasscode, accessible: .whenUnlocked))
        keychain.person = .isAStranger
        for _ in 0..<12 {
            let error = failure { () throws(KeychainItemError) in
                try keychain.string(for: item, authentication: .allowed)
            }
            #expect(error != nil)
        }
        keychain.isLocked = true
        #expect(keychain.isLocked)
        keychain.isLocked = false
        #expect(!keychain.isLocked)
        keychain.person = .agrees
        #expect(try keychain.string(for: item, authentication: .allowed) == "x")
    }
}
