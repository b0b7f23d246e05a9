// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainKeys

/// Every algorithm there and back, and not with one bit changed.
struct RoundTripTests {
    private static let rows = KeyAlgorithmTable.rows.map(\.value)
    private static let message = Array("a message that is signed or encrypted".utf8)

    /// What an algorithm takes: a digest of the right length, or the message.
    private func input(_ name: String) throws -> [UInt8] {
        let scheme = try #require(KeyAlgorithm(name)).scheme
        switch scheme {
        case .ecdsa(_, .digest(let digest)), .rsaSignature(_, .digest(let digest)):
            return Self.message.withUnsafeBytes { digest.digest($0) }
        default: return Self.message
        }
    }

    private func keys(_ operation: KeyOperation, _ name: String) throws -> [PrivateKey] {
        let algorithm = try #require(KeyAlgorithm(name))
        let keys = SampleKeys.all.filter { $0.supports(operation, algorithm) }
        try #require(!keys.isEmpty)
        return keys
    }

    @Test("signatures", arguments: rows.filter { $0.hasPrefix("algid:sign") })
    func signatures(_ name: String) throws {
        let input = try input(name)
        for key in try keys(.sign, name) {
            let signature = try key.sign(input, name)
            try key.publicKey.verify(signature, of: input, algorithm: name)
            for bit in [0, 8 * signature.count - 1, 4 * signature.count + 3] {
                #expect(throws: KeyError.verificationFailed) {
                    try key.publicKey.verify(signature.flipping(bit: bit), of: input, algorithm: name)
                }
            }
            #expect(throws: KeyError.verificationFailed) {
                try key.publicKey.verify(signature, of: input.flipping(bit: 5), algorithm: name)
            }
            for other in [signature.dropLast(), signature + [0], []] {
                #expect(throws: KeyError.verificationFailed) {
                    try key.publicKey.verify(Array(other), of: input, algorithm: name)
                }
            }
        }
    }

    @Test(
        "a digest of a wrong length is refused",
        arguments: rows.filter { $0.contains("digest") && $0.contains("SHA") }
    )
    func digestLengths(_ name: String) throws {
        let input = try input(name)
        let key = name.contains("ECDSA") ? SampleKeys.p384 : SampleKeys.rsa2048
        let signature = try key.sign(input, name)
        let reason = KeyError.parameter("the digest does not have its function's length")
        for wrong in [Array(input.dropLast()), input + [0], []] {
            #expect(throws: reason) { try key.sign(wrong, name) }
            #expect(throws: reason) { try key.publicKey.verify(signature, of: wrong, algorithm: name) }
        }
    }

    @Test("encryption", arguments: rows.filter { $0.hasPrefix("algid:encrypt") })
    func encryption(_ name: String) throws {
        let isRaw = name.hasSuffix(":raw")
        for key in try keys(.decrypt, name) {
            let room = isRaw || name.hasSuffix("PKCS1") || name.contains("AESGCM") ? 37 : 0
            let plaintext = Array(Self.message.prefix(room))
            let ciphertext = try key.publicKey.encrypt(plaintext, name)
            let padded = isRaw ? Array(repeating: 0, count: key.publicKey.blockSize - room) + plaintext : plaintext
            #expect(try key.decrypt(ciphertext, name) == padded)
            for index in [0, ciphertext.count / 2, ciphertext.count - 1] where !isRaw {
                let changed = ciphertext.flipping(bit: 8 * index)
                // Of PKCS #1 version 1.5 a change may make other, valid padding.
                if name.hasSuffix("PKCS1") {
                    #expect((try? key.decrypt(changed, name)) != plaintext)
                } else {
                    #expect(throws: KeyError.decryptionFailed) { try key.decrypt(changed, name) }
                }
            }
            for short in [[], Array(ciphertext.dropLast()), Array(ciphertext.prefix(20))] where !isRaw {
                #expect(throws: KeyError.decryptionFailed) { try key.decrypt(short, name) }
            }
        }
    }

    @Test(
        "a block takes as much as the padding leaves",
        arguments: ["OAEP:SHA1", "OAEP:SHA224", "OAEP:SHA256", "PKCS1", "raw"]
    )
    func room(_ padding: String) throws {
        let (name, key) = ("algid:encrypt:RSA:\(padding)", SampleKeys.rsa2048)
        let room = ["OAEP:SHA1": 214, "OAEP:SHA224": 198, "OAEP:SHA256": 190, "PKCS1": 245, "raw": 256][padding] ?? 0
        let plaintext = [0] + Array(repeating: 0x5A as UInt8, count: room - 1)
        #expect(try key.decrypt(try key.publicKey.encrypt(plaintext, name), name) == plaintext)
        #expect(throws: KeyError.self) { try key.publicKey.encrypt(plaintext + [0], name) }
        if padding == "raw" {
            let large = Array(repeating: 0xFF as UInt8, count: 256)
            #expect(throws: KeyError.self) { try key.publicKey.encrypt(large, name) }
            #expect(throws: KeyError.self) { try key.decrypt(large, name) }
        }
    }

    @Test("key exchange gives both sides the same", arguments: rows.filter { $0.hasPrefix("algid:keyexchange") })
    func keyExchange(_ name: String) throws {
        for key in SampleKeys.curves {
            let other = try PrivateKey(generating: .ellipticCurve, sizeInBits: key.sizeInBits)
            let size = name.contains("KDF") ? 77 : nil
            let secret = try key.agree(other.publicKey, name, size: size, info: [1, 2])
            #expect(secret.count == size ?? key.publicKey.blockSize)
            #expect(try other.agree(key.publicKey, name, size: size, info: [1, 2]) == secret)
            if size != nil {
                #expect(try other.agree(key.publicKey, name, size: size, info: [1, 3]) != secret)
                #expect(throws: KeyError.parameter("the requested size is missing")) {
                    try other.agree(key.publicKey, name)
                }
            }
        }
    }

    @Test("keys of two curves, or of two families, agree on nothing")
    func mixed() {
        let name = "algid:keyexchange:ECDH"
        for other in [SampleKeys.p384.publicKey, SampleKeys.rsa2048.publicKey] {
            #expect(throws: KeyError.parameter("the two keys are not on the same curve")) {
                try SampleKeys.p256.agree(other, name)
            }
        }
        #expect(throws: KeyError.unsupportedAlgorithm) {
            try SampleKeys.rsa2048.agree(SampleKeys.p256.publicKey, name)
        }
    }

    @Test("what a library encodes and what is encoded here verify each other", arguments: ["PKCS1v15", "PSS"])
    func twoWays(_ padding: String) throws {
        let key = SampleKeys.rsa2048
        for (digest, salt) in [(DigestAlgorithm.sha1, 20), (.sha256, 32), (.sha384, 48), (.sha512, 64)] {
            let suffix = padding == "PSS" ? ":\(digest.rawValue):\(digest.rawValue):\(salt)" : ":\(digest.rawValue)"
            let names = ["message", "digest"].map { "algid:sign:RSA:\($0)-\(padding)\(suffix)" }
            let made = Self.message.withUnsafeBytes { digest.digest($0) }
            try key.publicKey.verify(try key.sign(Self.message, names[0]), of: made, algorithm: names[1])
            try key.publicKey.verify(try key.sign(made, names[1]), of: Self.message, algorithm: names[0])
        }
    }

    @Test("digests without a function may have any length", arguments: [0, 1, 16, 20, 32, 36, 65, 200])
    func anyLength(_ count: Int) throws {
        let digest = (0..<count).map { UInt8($0) }
        for key in SampleKeys.curves {
            for name in ["algid:sign:ECDSA:digest-X962", "algid:sign:ECDSA:RFC4754", "algid:sign:ECDSA:digest-RFC4754"]
            {
                try key.publicKey.verify(try key.sign(digest, name), of: digest, algorithm: name)
            }
        }
        let name = "algid:sign:RSA:digest-PKCS1v15"
        try SampleKeys.rsa2048.publicKey.verify(try SampleKeys.rsa2048.sign(digest, name), of: digest, algorithm: name)
    }

    @Test("a public key undoes a raw signature")
    func recovery() throws {
        let (key, data) = (SampleKeys.rsa2048, [0x12, 0x34, 0x56] as [UInt8])
        let signature = try key.sign(data, "algid:sign:RSA:raw")
        let raw = try #require(KeyAlgorithm("algid:encrypt:RSA:raw"))
        let recovered = try signature.withBytes { (bytes) throws(KeyError) in try key.publicKey.decrypt(bytes, raw) }
        #expect(recovered.unprotectedCopy == Array(repeating: 0, count: 253) + data)
    }
}
