// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// A defect of a certificate in a chain; the raw value is its name in exceptions.
///
/// In the order in which they are reported if there are several.
package enum TrustDefect: String, Sendable, Hashable, CaseIterable, Codable {
    /// Trust settings deny it.
    case denied
    /// It was revoked.
    case revoked
    /// It cannot be read.
    case malformed
    /// Memory was insufficient.
    case outOfMemory
    /// Its signature is not that of its issuer.
    case signature
    /// Its issuer may not issue certificates.
    case notAuthority
    /// It may issue certificates, but has no name.
    case noSubject
    /// A key that is too small, or on a curve without a name.
    case weakKey
    /// A digest that is too weak, in its signature.
    case weakDigest
    /// An unknown kind of key.
    case unsupportedKey
    /// An unknown critical extension.
    case unknownCriticalExtension
    /// The path is longer than an issuer permits.
    case pathLength
    /// A name that an issuer may not certify.
    case nameNotAllowed
    /// No certificate policy is valid for the chain.
    case policyNotAllowed
    /// The chain has too many certificates.
    case chainTooLong
    /// Any other defect of the chain.
    case invalidChain
    /// No chain leads to an anchor.
    case untrusted
    /// The certificate has expired.
    case expired
    /// The certificate is not yet valid.
    case notYetValid
    /// It does not name the host.
    case hostName
    /// It does not contain the e-mail address.
    case emailAddress
    /// An extension is missing that the policy requires.
    case missingExtension
    /// Its key is limited to other purposes.
    case purpose
    /// Its key is limited to other operations.
    case keyUsage
    /// A positive response about its revocation is required, and there is none.
    case revocationUnknown

    /// The status that an evaluation returns for it.
    package var status: Status { row.status }

    /// The name that `security` prints for it; `nil` if the text of its status is printed instead.
    package var symbol: String? { row.symbol }

    /// Whether a user cannot choose to ignore it.
    package var isFatal: Bool { row.isFatal }

    /// The description, which follows the name of the certificate.
    package var sentence: String { row.sentence }

    private struct Row {
        let status: Status
        let symbol: String?
        let isFatal: Bool
        let sentence: String

        init(_ status: Int32, _ symbol: String?, isFatal: Bool = false, sentence: String) {
            self.status = Status(rawValue: status)
            self.symbol = symbol
            self.isFatal = isFatal
            self.sentence = sentence
        }
    }

    /// The statuses are those of the table of statuses; the symbols are Apple's of the older module interface.
    private var row: Row {
        switch self {
        case .denied: Row(-67654, "CSSMERR_APPLETP_TRUST_SETTING_DENY", sentence: "is denied by trust settings")
        case .revoked: Row(-67820, "CSSMERR_TP_CERT_REVOKED", isFatal: true, sentence: "is revoked")
        case .malformed: Row(-67853, "CSSMERR_TP_INVALID_CERTIFICATE", isFatal: true, sentence: "cannot be read")
        case .outOfMemory: Row(-108, nil, isFatal: true, sentence: "cannot be judged, because memory is short")
        case .signature:
            Row(-26267, "CSSMERR_TP_VERIFICATION_FAILURE", isFatal: true, sentence: "has a signature that is wrong")
        case .notAuthority:
            Row(-67826, "CSSMERR_TP_INVALID_CERT_AUTHORITY", isFatal: true, sentence: "may not issue certificates")
        case .noSubject:
            Row(-67655, nil, isFatal: true, sentence: "has no subject name, although it issues certificates")
        case .weakKey:
            Row(-67735, "CSSMERR_CSP_UNSUPPORTED_KEY_SIZE", isFatal: true, sentence: "has a key that is too weak")
        case .weakDigest:
            Row(
                -67815,
                "CSSMERR_CSP_INVALID_DIGEST_ALGORITHM",
                isFatal: true,
                sentence: "is signed with a digest that is too weak"
            )
        case .unsupportedKey: Row(-67734, nil, isFatal: true, sentence: "has a key of an unknown kind")
        case .unknownCriticalExtension:
            Row(
                -67618,
                "CSSMERR_APPLETP_UNKNOWN_CRITICAL_EXTEN",
                isFatal: true,
                sentence: "has an unknown critical extension"
            )
        case .pathLength:
            Row(
                -67611,
                "CSSMERR_APPLETP_PATH_LEN_CONSTRAINT",
                isFatal: true,
                sentence: "has too many certificates below it"
            )
        case .nameNotAllowed: Row(-67900, nil, isFatal: true, sentence: "has a name that an issuer may not certify")
        case .policyNotAllowed: Row(-67899, nil, isFatal: true, sentence: "has policies that are not allowed")
        case .chainTooLong: Row(-25318, nil, isFatal: true, sentence: "has too long a chain")
        case .invalidChain:
            Row(-67826, "CSSMERR_TP_VERIFY_ACTION_FAILED", isFatal: true, sentence: "has an invalid chain")
        case .untrusted: Row(-67843, "CSSMERR_TP_NOT_TRUSTED", sentence: "is not trusted")
        case .expired: Row(-67818, "CSSMERR_TP_CERT_EXPIRED", sentence: "is expired")
        case .notYetValid: Row(-67819, "CSSMERR_TP_CERT_NOT_VALID_YET", sentence: "is not valid yet")
        case .hostName: Row(-67602, "CSSMERR_APPLETP_HOSTNAME_MISMATCH", sentence: "name does not match input")
        case .emailAddress:
            Row(-67623, "CSSMERR_APPLETP_SMIME_EMAIL_ADDRS_NOT_FOUND", sentence: "has not the e-mail address")
        case .missingExtension: Row(-67880, nil, sentence: "lacks an extension that is required")
        case .purpose:
            Row(-67609, "CSSMERR_APPLETP_INVALID_EXTENDED_KEY_USAGE", sentence: "is not meant for the purpose")
        case .keyUsage: Row(-67608, "CSSMERR_APPLETP_INVALID_KEY_USAGE", sentence: "has a key that may not be used so")
        case .revocationUnknown:
            Row(-67635, "CSSMERR_APPLETP_INCOMPLETE_REVOCATION_CHECK", sentence: "has no answer about its revocation")
        }
    }
}
