// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import KeychainCertificates
import SwiftASN1

/// A derivation by PBKDF2 (RFC 8018, section 5.2), as described by parameters (appendix A.2).
struct PBKDF2 {
    let salt: [UInt8]
    let iterations: Int
    /// The length of the key, if it is specified.
    let keyByteCount: Int?
    let hash: KDF.Insecure.PBKDF2.HashFunction

    /// A derivation for a new file, with HMAC-SHA-256.
    init(salt: [UInt8], iterations: Int) {
        self.salt = salt
        self.iterations = iterations
        keyByteCount = nil
        hash = .sha256
    }

    init(_ node: ASN1Node) throws(ContainerError) {
        var fields = try ContainerFieldReader(node, "a key derivation")
        let identifier = try fields.objectIdentifier("key derivation")
        guard identifier == [1, 2, 840, 113549, 1, 5, 12] else {
            throw .unsupported("the key derivation \(identifier) is not implemented")
        }
        var parameters = try ContainerFieldReader(fields.next("parameters"), "the parameters of a key derivation")
        try fields.end()
        salt = try Array(parameters.octets("salt"))
        iterations = try parameters.integer("number of iterations")
        keyByteCount = parameters.upcomingIdentifier == .integer ? try parameters.integer("length of a key") : nil
        hash = parameters.isAtEnd ? .insecureSHA1 : try Self.hash(parameters.next("pseudorandom function"))
        try parameters.end()
    }

    private var hashByteCount: Int {
        switch hash {
        case .sha512: SHA512.byteCount
        case .sha384: SHA384.byteCount
        case .sha256: SHA256.byteCount
        // The shortest digest, which requires the most blocks.
        default: Insecure.SHA1.byteCount
        }
    }

    private static func hash(_ node: ASN1Node) throws(ContainerError) -> KDF.Insecure.PBKDF2.HashFunction {
        var fields = try ContainerFieldReader(node, "a pseudorandom function")
        let identifier = try fields.objectIdentifier("pseudorandom function")
        guard let hash = hashes[identifier] else {
            throw .unsupported("the pseudorandom function \(identifier) is not implemented")
        }
        return hash
    }

    /// HMAC with each hash (RFC 8018, appendix B.1).
    private static let hashes: [ASN1ObjectIdentifier: KDF.Insecure.PBKDF2.HashFunction] = [
        [1, 2, 840, 113549, 2, 7]: .insecureSHA1,
        [1, 2, 840, 113549, 2, 8]: .insecureSHA224,
        [1, 2, 840, 113549, 2, 9]: .sha256,
        [1, 2, 840, 113549, 2, 10]: .sha384,
        [1, 2, 840, 113549, 2, 11]: .sha512,
    ]

    /// Derives a key.
    func derive(
        _ password: Password,
        byteCount: Int,
        _ budget: inout WorkBudget
    ) throws(ContainerError) -> [UInt8] {
        try budget.spend(iterations, at: .pbkdf2, over: byteCount, blockByteCount: hashByteCount)
        do {
            let key = try KDF.Insecure.PBKDF2.deriveKey(
                from: password.utf8,
                salt: salt,
                using: hash,
                outputByteCount: byteCount,
                unsafeUncheckedRounds: iterations
            )
            return key.withUnsafeBytes { Array($0) }
        } catch {
            throw .unsupported("a key derivation failed")
        }
    }
}
