// SPDX-License-Identifier: Apache-2.0

import CKeychainOpenSSL
import Crypto
import KeychainCore
import KeychainKeys
import KeychainTrust

/// A pair of keys for one agreement on the key of a session: Diffie and Hellman's, in the 1024-bit group of RFC 2409,
/// section 6.2 ("Second Oakley Group"), with the generator 2.
///
/// It hides secrets from whoever only reads the bus, and authenticates nobody.
struct KeyPair: Sendable {
    /// The number of bytes of the group's numbers.
    static let byteCount = 128

    /// The number of bytes of a secret exponent: more than twice the strength of the group.
    private static let secretByteCount = 40

    /// The number of bytes of an AES key.
    private static let keyByteCount = 16

    /// What the other side gets: the highest byte first, of ``byteCount`` bytes.
    let published: [UInt8]

    private let secret: SecretBytes

    /// A new pair.
    ///
    /// - Throws: ``ServiceError/notSupported`` where OpenSSL is not installed.
    init() throws(ServiceError) {
        try self.init(secret: SecretBytes(random: Self.secretByteCount))
    }

    /// The pair of a secret exponent, which a test knows.
    init(secret: SecretBytes) throws(ServiceError) {
        self.secret = secret
        published = try Self.power(of: [2], secret).unprotectedCopy
    }

    /// The key that the two sides agree on.
    ///
    /// - Parameter other: what the other side has published, with or without zeros before it.
    /// - Returns: The key, for AES-128.
    /// - Throws: ``ServiceError/invalidArguments`` for what is not between 1 and the prime less 1: the key would be
    ///   known to everybody.
    func sharedKey(with other: [UInt8]) throws(ServiceError) -> SecretBytes {
        // Some programs write a zero before a number whose highest bit is set.
        guard other.count <= Self.byteCount + 1 else { throw .invalidArguments }
        let digits = other.drop { $0 == 0 }
        guard digits.count <= Self.byteCount, digits.count > 1 || (digits.first ?? 0) > 1 else {
            throw .invalidArguments
        }
        let padded = [UInt8](repeating: 0, count: Self.byteCount - digits.count) + digits
        guard padded.lexicographicallyPrecedes(Self.largest) else { throw .invalidArguments }
        let shared = try Self.power(of: padded, secret)
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: shared.withUnsafeBytes { SymmetricKey(data: $0) },
            outputByteCount: Self.keyByteCount
        )
        return key.withUnsafeBytes { SecretBytes(copying: $0) }
    }

    /// A power in the group, with zeros before it: the key is derived from all of its bytes.
    private static func power(of base: [UInt8], _ exponent: SecretBytes) throws(ServiceError) -> SecretBytes {
        let library: OpenSSL
        do { library = try OpenSSL.shared } catch { throw .notSupported }
        return try SecretBytes(count: byteCount) { result throws(ServiceError) in
            let isDone = exponent.withUnsafeBytes { exponent in
                keychain_modular_power(
                    library.functions,
                    base,
                    base.count,
                    exponent.bindMemory(to: UInt8.self).baseAddress,
                    exponent.count,
                    prime,
                    prime.count,
                    result.bindMemory(to: UInt8.self).baseAddress
                )
            }
            guard isDone == 1 else { throw .failed }
        }
    }

    /// The prime less 1, which is one of the two numbers whose powers are known.
    private static let largest = prime.dropLast() + [prime[byteCount - 1] - 1]

    /// RFC 2409, section 6.2.
    private static let prime: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xC9, 0x0F, 0xDA, 0xA2, 0x21, 0x68, 0xC2, 0x34,
        0xC4, 0xC6, 0x62, 0x8B, 0x80, 0xDC, 0x1C, 0xD1, 0x29, 0x02, 0x4E, 0x08, 0x8A, 0x67, 0xCC, 0x74,
        0x02, 0x0B, 0xBE, 0xA6, 0x3B, 0x13, 0x9B, 0x22, 0x51, 0x4A, 0x08, 0x79, 0x8E, 0x34, 0x04, 0xDD,
        0xEF, 0x95, 0x19, 0xB3, 0xCD, 0x3A, 0x43, 0x1B, 0x30, 0x2B, 0x0A, 0x6D, 0xF2, 0x5F, 0x14, 0x37,
        0x4F, 0xE1, 0x35, 0x6D, 0x6D, 0x51, 0xC2, 0x45, 0xE4, 0x85, 0xB5, 0x76, 0x62, 0x5E, 0x7E, 0xC6,
        0xF4, 0x4C, 0x42, 0xE9, 0xA6, 0x37, 0xED, 0x6B, 0x0B, 0xFF, 0x5C, 0xB6, 0xF4, 0x06, 0xB7, 0xED,
        0xEE, 0x38, 0x6B, 0xFB, 0x5A, 0x89, 0x9F, 0xA5, 0xAE, 0x9F, 0x24, 0x11, 0x7C, 0x4B, 0x1F, 0xE6,
        0x49, 0x28, 0x66, 0x51, 0xEC, 0xE6, 0x53, 0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    ]
}
