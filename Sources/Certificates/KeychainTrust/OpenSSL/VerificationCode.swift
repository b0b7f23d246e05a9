// SPDX-License-Identifier: Apache-2.0

/// What X509_verify_cert(3) finds wrong, by the codes of X509_STORE_CTX_get_error(3).
enum VerificationCode {
    /// What a code means here; `nil` for the code that stands for nothing wrong.
    static func defect(_ code: Int32) -> TrustDefect? { code == 0 ? nil : defects[code] ?? .invalidChain }

    private static let defects: [Int32: TrustDefect] = [
        2: .untrusted,  // the issuer is missing
        4: .malformed,  // the signature cannot be decrypted
        6: .malformed,  // the issuer's key cannot be read
        7: .signature,
        9: .notYetValid,
        10: .expired,
        13: .malformed,  // a date that is none
        14: .malformed,
        17: .outOfMemory,
        18: .untrusted,  // self-signed
        19: .untrusted,  // self-signed, in the chain
        20: .untrusted,  // the issuer is missing
        21: .untrusted,  // one certificate that cannot be verified
        22: .chainTooLong,
        23: .revoked,
        24: .notAuthority,
        25: .pathLength,
        26: .purpose,
        27: .untrusted,
        28: .untrusted,  // rejected
        32: .keyUsage,  // the issuer's key may not sign certificates
        34: .unknownCriticalExtension,
        37: .notAuthority,
        40: .unknownCriticalExtension,  // proxy certificates
        41: .malformed,  // an extension
        42: .malformed,
        43: .policyNotAllowed,
        47: .nameNotAllowed,
        48: .nameNotAllowed,
        49: .nameNotAllowed,
        51: .nameNotAllowed,
        52: .nameNotAllowed,
        53: .nameNotAllowed,
        62: .hostName,
        63: .emailAddress,
        64: .hostName,
        66: .weakKey,
        67: .weakKey,
        68: .weakDigest,
        76: .unsupportedKey,
        78: .weakDigest,
        79: .notAuthority,
        80: .pathLength,
        94: .weakKey,  // explicit parameters of a curve
    ]
}
