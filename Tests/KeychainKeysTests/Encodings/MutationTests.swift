// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainKeys

/// Damaged keys are an error or a key, and a key that is read can be written and read again.
///
/// `Fuzzing/Targets/key.swift` does the same with every input.
struct MutationTests {
    /// Reads bytes as every kind of key; the first byte of the fuzzer's input is the kind.
    private func read(_ bytes: [UInt8]) throws {
        let secret = SecretBytes(bytes)
        for type in KeyType.allCases {
            try check(try? PrivateKey(externalRepresentation: secret, type))
            try check(try? PublicKey(externalRepresentation: bytes, type))
        }
        try check(try? PrivateKey(pkcs8: secret))
        try check(try? PrivateKey(sec1: secret))
        try check(try? PublicKey(subjectPublicKeyInfo: bytes))
    }

    private func check(_ key: PrivateKey?) throws {
        guard let key else { return }
        #expect(try PrivateKey(pkcs8: try #require(key.pkcs8)).publicKey == key.publicKey)
    }

    private func check(_ key: PublicKey?) throws {
        guard let key else { return }
        #expect(try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo) == key)
    }

    private static let encodings: [[UInt8]] = {
        let keys = [SampleKeys.p256, SampleKeys.p521, SampleKeys.rsa1024]
        return keys.flatMap { key in
            [key.externalRepresentation, key.pkcs8, key.sec1].compactMap { $0?.unprotectedCopy }
                + [key.publicKey.externalRepresentation, key.publicKey.subjectPublicKeyInfo]
        }
    }()

    @Test("every byte changed in turn, and every length", arguments: encodings.indices)
    func bytes(_ index: Int) throws {
        let bytes = Self.encodings[index]
        for position in bytes.indices {
            try read(bytes.flipping(bit: 8 * position + position % 8))
            try read(Array(bytes.prefix(position)))
        }
    }

    @Test("bytes changed, removed and put in at random")
    func random() throws {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<1500 {
            var bytes = Self.encodings[Int.random(in: Self.encodings.indices, using: &random)]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let position = Int.random(in: bytes.indices, using: &random)
                switch UInt8.random(in: 0...3, using: &random) {
                case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: position)
                case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
                default: bytes[position] &+= 1
                }
            }
            try read(bytes)
        }
    }

    @Test("one bit off in a key's parts is no key")
    func oneBit() throws {
        for key in [SampleKeys.p256, SampleKeys.p384, SampleKeys.rsa1024] {
            let bytes = try #require(key.externalRepresentation).unprotectedCopy
            for position in stride(from: 9, to: bytes.count - 1, by: 5) {
                let changed = SecretBytes(bytes.flipping(bit: 8 * position + 2))
                #expect(throws: KeyError.self) { try PrivateKey(externalRepresentation: changed, key.type) }
            }
        }
    }
}
