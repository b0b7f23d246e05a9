// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The reason that a key could not be created or used.
///
/// Reasons contain nothing about a secret.
package enum KeyError: Error, Sendable, Hashable {
    /// The bytes are not a key in the requested encoding.
    case malformed(String)
    /// A size, a length or another parameter is invalid.
    case parameter(String)
    /// The key does not support the algorithm for this operation.
    case unsupportedAlgorithm
    /// The key cannot be exported.
    case notExportable
    /// The signature does not match the key and the data.
    case verificationFailed
    /// The ciphertext was not created for the key, or was altered; never reveals which check failed.
    case decryptionFailed
    /// The key's access control does not permit the operation, whoever authenticates.
    case operationNotAllowed(String)
    /// The key's storage refused the operation, or failed.
    case failed(Status, String)

    /// The error of Apple's function.
    ///
    /// Apple returns `errSecParam` for everything except a wrong signature, including a failed decryption and an
    /// algorithm that the key does not support.
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
