// SPDX-License-Identifier: Apache-2.0

import Crypto
import SwiftASN1

/// The hash functions for the key derivation of PKCS #12.
enum LegacyHash: CaseIterable {
    case sha1
    case sha256
    case sha384
    case sha512

    /// The hash of an identifier; `nil` for one that is not implemented.
    init?(_ identifier: ASN1ObjectIdentifier) {
        guard let hash = Self.hashes[identifier] else { return nil }
        self = hash
    }

    private static let hashes = Dictionary(uniqueKeysWithValues: Self.allCases.map { ($0.identifier, $0) })

    /// The identifier of the hash.
    var identifier: ASN1ObjectIdentifier {
        switch self {
        case .sha1: [1, 3, 14, 3, 2, 26]
        case .sha256: [2, 16, 840, 1, 101, 3, 4, 2, 1]
        case .sha384: [2, 16, 840, 1, 101, 3, 4, 2, 2]
        case .sha512: [2, 16, 840, 1, 101, 3, 4, 2, 3]
        }
    }

    /// Derives bytes; see ``PKCS12KeyDerivation``.
    func derive(
        _ purpose: PKCS12KeyDerivation.Purpose,
        from password: [UInt8],
        salt: ArraySlice<UInt8>,
        iterations: Int,
        byteCount: Int
    ) -> [UInt8] {
        func derived<Hash: HashFunction>(_ hash: Hash.Type) -> [UInt8] {
            PKCS12KeyDerivation.derive(
                purpose,
                hash,
                password: password,
                salt: salt,
                iterations: iterations,
                byteCount: byteCount
            )
        }
        switch self {
        case .sha1: return derived(Insecure.SHA1.self)
        case .sha256: return derived(SHA256.self)
        case .sha384: return derived(SHA384.self)
        case .sha512: return derived(SHA512.self)
        }
    }

    /// The number of bytes of a digest.
    var byteCount: Int {
        switch self {
        case .sha1: Insecure.SHA1.byteCount
        case .sha256: SHA256.byteCount
        case .sha384: SHA384.byteCount
        case .sha512: SHA512.byteCount
        }
    }

    /// The HMAC of bytes.
    func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: key)
        switch self {
        case .sha1: return Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: key))
        case .sha256: return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        case .sha384: return Array(HMAC<SHA384>.authenticationCode(for: bytes, using: key))
        case .sha512: return Array(HMAC<SHA512>.authenticationCode(for: bytes, using: key))
        }
    }

    /// Whether a code is the HMAC of bytes; compared in constant time.
    func isAuthentic(_ code: ArraySlice<UInt8>, of bytes: ArraySlice<UInt8>, key: [UInt8]) -> Bool {
        let key = SymmetricKey(data: key)
        switch self {
        case .sha1: return HMAC<Insecure.SHA1>.isValidAuthenticationCode(Array(code), authenticating: bytes, using: key)
        case .sha256: return HMAC<SHA256>.isValidAuthenticationCode(Array(code), authenticating: bytes, using: key)
        case .sha384: return HMAC<SHA384>.isValidAuthenticationCode(Array(code), authenticating: bytes, using: key)
        case .sha512: return HMAC<SHA512>.isValidAuthenticationCode(Array(code), authenticating: bytes, using: key)
        }
    }
}
