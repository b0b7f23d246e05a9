// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainKeys

/// A key that lives elsewhere: everything is layered on its two operations.
struct RemoteKeyTests {
    /// Keeps a key, and counts nothing but its own two operations.
    private struct Keeper: EllipticKeyOperations {
        let key: EllipticPrivateKey

        func signature(of digest: [UInt8]) throws(KeyError) -> [UInt8] { try key.signature(of: digest) }

        func sharedSecret(with publicKey: PublicKey) throws(KeyError) -> SecretBytes {
            try key.sharedSecret(with: publicKey)
        }
    }

    private struct Refusing: EllipticKeyOperations {
        func signature(of digest: [UInt8]) throws(KeyError) -> [UInt8] { throw .failed(.userCanceled, "no") }

        func sharedSecret(with publicKey: PublicKey) throws(KeyError) -> SecretBytes {
            throw .failed(.userCanceled, "no")
        }
    }

    @Test("signatures, decryption and key exchange with every algorithm")
    func everything() throws {
        let inner = EllipticPrivateKey(generating: .p256)
        let publicKey = PublicKey(inner.publicKey, point: inner.point)
        let key = PrivateKey(publicKey: publicKey, operations: Keeper(key: inner))
        let other = SampleKeys.p256
        for name in KeyAlgorithmTable.rows.map(\.value) {
            let algorithm = try #require(KeyAlgorithm(name))
            for operation in KeyOperation.allCases {
                #expect(key.supports(operation, algorithm) == other.supports(operation, algorithm))
            }
            switch algorithm.scheme {
            case .ecdsa(_, let input):
                let data = Array(repeating: 1 as UInt8, count: input.digest?.count ?? 32)
                try publicKey.verify(try key.sign(data, name), of: data, algorithm: name)
            case .ecies:
                #expect(try key.decrypt(try publicKey.encrypt([1, 2, 3], name), name) == [1, 2, 3])
            case .keyExchange:
                let secret = try key.agree(other.publicKey, name, size: 40)
                #expect(try other.agree(publicKey, name, size: 40) == secret)
            default: break
            }
        }
    }

    @Test("it has no bytes to give")
    func bytes() {
        let key = PrivateKey(publicKey: SampleKeys.p256.publicKey, operations: Refusing())
        #expect(key.externalRepresentation == nil && key.pkcs8 == nil && key.sec1 == nil)
    }

    @Test("what the keeper says reaches the caller")
    func refusals() throws {
        let key = PrivateKey(publicKey: SampleKeys.p256.publicKey, operations: Refusing())
        let refusal = KeyError.failed(.userCanceled, "no")
        #expect(throws: refusal) { try key.sign([1], "algid:sign:ECDSA:digest-X962") }
        #expect(throws: refusal) { try key.agree(SampleKeys.p256.publicKey, "algid:keyexchange:ECDH") }
        let name = "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM"
        let ciphertext = try key.publicKey.encrypt([1], name)
        #expect(throws: refusal) { try key.decrypt(ciphertext, name) }
    }
}
