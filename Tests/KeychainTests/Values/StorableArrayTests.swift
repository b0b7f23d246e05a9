// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainTesting
import Testing

@Suite("Arrays as values", .keychain)
struct StorableArrayTests {
    private let item = GenericPassword(service: "array")
    private let plain = Protection.accessible(.whenUnlocked)
    private let keychain = SystemKeychain()

    @Test("Bytes are stored as they are", arguments: [[], [0x31], [0, 0xFF, 0x5B]] as [[UInt8]])
    func bytes(_ bytes: [UInt8]) throws {
        try keychain.set(bytes, for: item, protection: plain)
        #expect(try keychain.data(for: item) == Data(bytes))
        #expect(try keychain.value([UInt8].self, for: item) == bytes)
    }

    @Test("Other arrays are stored as JSON", arguments: [[], ["a", "b"]] as [[String]])
    func json(_ texts: [String]) throws {
        try keychain.set(texts, for: item, protection: plain)
        #expect(try keychain.string(for: item) == (texts.isEmpty ? "[]" : #"["a","b"]"#))
        #expect(try keychain.value([String].self, for: item) == texts)
    }
}
