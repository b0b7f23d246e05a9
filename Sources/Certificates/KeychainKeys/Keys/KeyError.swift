// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Why a key could not be made or used.
///
/// No reason says anything of a secret.
package enum KeyError: Error, Sendable, Hashable {
    /// Bytes that are no key in the requested encoding.
    case malformed(String)
    /// A size, a length or another parameter that cannot be.
    case parameter(String)
    /// The algorithm is not one of this key and operation.
    case unsupportedAlgorithm
    /// The key cannot leave the place that keeps it.
    case notExportable
    /// The signature is not one of the key and the data.
    case verificationFailed
    /// The ciphertext was not made for the key, or was changed; never says which check failed.
    case decryptionFailed
    /// The key's access control does not permit the operation, whoever authenticates.
    case operationNotAllowed(String)
    /// What keeps the key refused, or failed.
    case failed(Status, String)

    /// What the function of Apple's API fails with.
    ///
    /// Apple answers everything but a wrong signature with `errSecParam`, a failed decryption and an algorithm that the
    /// key does not have included.
    package var status: Status {
        switch self {
        case .malformed, .parameter, .unsupportedAlgorithm, .decryptionFailed: .parameter
        case .notExportable: .unimplemented
        case .verificationFailed: .verifyFailed
        case .operationNotAllowed: .authenticationFailed
        case .failed(let status, _): status
        }
    }

    /// One sentence.
    package var reason: String {
        switch self {
        case .malformed(let reason), .parameter(let reason), .operationNotAllowed(let reason), .failed(_, let reason):
            reason
        case .unsupportedAlgorithm: "the algorithm is not supported by the key"
        case .notExportable: "the key cannot be exported"
        case .verificationFailed: "the signature does not match"
        case .decryptionFailed: "the ciphertext cannot be decrypted"
        }
    }
}

extension Status {
    /// A signature does not match: `errSecVerifyFailed`.
    package static let verifyFailed = Status(rawValue: -67808)
}
