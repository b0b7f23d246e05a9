// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The reason that a file cannot be read.
package struct ContainerError: Error, Sendable, Hashable {
    /// The kind of failure.
    package enum Kind: Sendable, Hashable {
        /// The bytes are not of the format.
        case malformed
        /// The password is wrong, or the file was altered: the two cannot be distinguished.
        case wrongPassword
        /// The file uses something that is not implemented, or requires more work than is allowed.
        case unsupported
    }

    /// The kind.
    package var kind: Kind

    /// The defect; never a password or a part of the file.
    package var reason: String

    init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// The status that `SecPKCS12Import` returns for it (Semantics, "Importing PKCS 12 files"): -25293 if the MAC does
    /// not verify, -26275 otherwise.
    package var status: Status {
        switch kind {
        case .wrongPassword: .authenticationFailed
        case .malformed, .unsupported: .decode
        }
    }

    static func unsupported(_ reason: String) -> ContainerError { ContainerError(.unsupported, reason) }
    static let wrongPassword = ContainerError(.wrongPassword, "the password does not fit, or the file was altered")
}

extension Status {
    /// The format is not recognized, or is not the expected one: `errSecUnknownFormat`.
    package static let unknownFormat = Status(rawValue: -25257)
}

extension KeychainError {
    /// A failure to write a file or a message, which no input should cause: `errSecInternalComponent`.
    package init(writing error: ContainerError) { self.init(.internalComponent, error.reason) }
}

extension ContainerError: CustomStringConvertible {
    /// The reason.
    package var description: String { reason }
}
