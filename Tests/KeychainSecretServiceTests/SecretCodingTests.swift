// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainSecretService

/// Secrets as they are in messages.
struct SecretCodingTests {
    private static let coding = SecretCoding.encrypted(SecretBytes(Array(0..<16)))

    @Test("a secret is decoded as it was", arguments: [0, 1, 15, 16, 17, 1 << 20])
    func roundTrip(_ count: Int) throws {
        let secret = SecretBytes((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        for coding in [SecretCoding.plain, Self.coding] {
            let coded = try coding.encode(secret)
            #expect(try coding.decode(coded) == secret)
        }
        #expect(try Self.coding.encode(secret).value.count == count / 16 * 16 + 16)
    }

    @Test("each secret is encrypted with a start of its own")
    func starts() throws {
        let coded = try (0..<8).map { _ in try Self.coding.encode(SecretBytes([1])) }
        #expect(Set(coded.map(\.parameters)).count == 8)
        #expect(coded.allSatisfy { $0.parameters.count == 16 })
    }

    @Test("what another program has encrypted is decoded")
    func known() throws {
        // openssl enc -aes-128-cbc -K 000102…0f -iv 101112…1f
        let start = Array(UInt8(16)..<32)
        let value = try #require([UInt8](hexadecimal: "f3b1c3114e918924bbd9f25d4ef68613"))
        let coded = CodedSecret(parameters: start, value: SecretBytes(value))
        #expect(try Self.coding.decode(coded) == SecretBytes(Array("a secret".utf8)))
    }

    @Test("parameters of another length, cut-off text and wrong padding are refused alike")
    func garbage() throws {
        let coded = try Self.coding.encode(SecretBytes(Array("a secret of 24 bytes....".utf8)))
        let bytes = coded.value.unprotectedCopy
        for count in [0, 8, 15, 17, 64] {
            expectRefusal(Array(repeating: 1, count: count), bytes)
        }
        for count in 0..<bytes.count where count % 16 != 0 || count == 0 {
            expectRefusal(coded.parameters, Array(bytes[..<count]))
        }
        // The last block gets the padding of what the changed one before it decrypts to.
        var changed = bytes
        changed[15] ^= 0x80
        expectRefusal(coded.parameters, changed)
        #expect(throws: ServiceError.invalidArguments) {
            try SecretCoding.plain.decode(CodedSecret(parameters: [1], value: SecretBytes([1])))
        }
    }

    private func expectRefusal(_ parameters: [UInt8], _ value: [UInt8]) {
        #expect(throws: ServiceError.invalidArguments) {
            try Self.coding.decode(CodedSecret(parameters: parameters, value: SecretBytes(value)))
        }
    }
}
