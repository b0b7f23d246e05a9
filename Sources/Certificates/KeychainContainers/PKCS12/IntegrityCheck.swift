// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCertificates
import SwiftASN1

/// The `MacData` of a PKCS #12 file (RFC 7292, section 4), or that of RFC 9579.
struct IntegrityCheck {
    private enum Method {
        case legacy(LegacyHash, salt: ArraySlice<UInt8>, iterations: Int)
        /// PBMAC1 (RFC 9579, RFC 8018 section 7).
        case passwordBased(PBKDF2, LegacyHash)
    }

    private let method: Method
    private let code: ArraySlice<UInt8>

    init(_ node: ASN1Node) throws(ContainerError) {
        var fields = try ContainerFieldReader(node, "the integrity check")
        var digest = try ContainerFieldReader(fields.next("code"), "the code")
        let algorithm = try digest.next("algorithm")
        code = try digest.octets("code")
        try digest.end()
        let salt = try fields.octets("salt")
        let iterations = fields.isAtEnd ? 1 : try fields.integer("number of iterations")
        try fields.end()
        method = try Self.method(from: algorithm, salt: salt, iterations: iterations)
        guard code.count == hash.byteCount else { throw .malformed("the code has a wrong length") }
    }

    private var hash: LegacyHash {
        switch method {
        case .legacy(let hash, _, _), .passwordBased(_, let hash): hash
        }
    }

    private static func method(
        from node: ASN1Node,
        salt: ArraySlice<UInt8>,
        iterations: Int
    ) throws(ContainerError) -> Method {
        var fields = try ContainerFieldReader(node, "the algorithm of the integrity check")
        let identifier = try fields.objectIdentifier("algorithm of the integrity check")
        if let hash = LegacyHash(identifier) { return .legacy(hash, salt: salt, iterations: iterations) }
        guard identifier == [1, 2, 840, 113549, 1, 5, 14] else {
            throw .unsupported("the integrity check \(identifier) is not implemented")
        }
        var parameters = try ContainerFieldReader(fields.next("parameters"), "the parameters of the integrity check")
        let derivation = try PBKDF2(parameters.next("key derivation"))
        var scheme = try ContainerFieldReader(parameters.next("scheme"), "the scheme of the integrity check")
        let function = try scheme.objectIdentifier("scheme of the integrity check")
        guard let hash = hashes[function] else { throw .unsupported("the code \(function) is not implemented") }
        return .passwordBased(derivation, hash)
    }

    /// HMAC with each hash (RFC 8018, appendix B.1).
    private static let hashes: [ASN1ObjectIdentifier: LegacyHash] = [
        [1, 2, 840, 113549, 2, 7]: .sha1,
        [1, 2, 840, 113549, 2, 9]: .sha256,
        [1, 2, 840, 113549, 2, 10]: .sha384,
        [1, 2, 840, 113549, 2, 11]: .sha512,
    ]

    /// Whether the MAC matches these bytes and a password.
    func isAuthentic(
        _ bytes: ArraySlice<UInt8>,
        with password: Password,
        within budget: inout WorkBudget
    ) throws(ContainerError) -> Bool {
        var key: [UInt8]
        switch method {
        case .legacy(let hash, let salt, let iterations):
            try budget.spend(iterations, at: .pkcs12, over: hash.byteCount, blockByteCount: hash.byteCount)
            key = hash.derive(
                .integrityKey,
                from: password.big,
                salt: salt,
                iterations: iterations,
                byteCount: hash.byteCount
            )
        case .passwordBased(let derivation, let hash):
            let count = derivation.keyByteCount ?? hash.byteCount
            guard (1...64).contains(count) else { throw .unsupported("a key has an unusual length") }
            key = try derivation.derive(password, byteCount: count, &budget)
        }
        defer { key.wipe() }
        return hash.isAuthentic(code, of: bytes, key: key)
    }
}
