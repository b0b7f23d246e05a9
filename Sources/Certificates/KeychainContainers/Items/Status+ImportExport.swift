// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The statuses of import and export (Semantics, "Importing and exporting files").
extension Status {
    /// The format is known, but not implemented, or does not support the item: `errSecUnsupportedFormat`.
    package static let unsupportedFormat = Status(rawValue: -25256)

    /// The key cannot be exported: `errSecKeyIsSensitive`.
    package static let keyIsSensitive = Status(rawValue: -25258)

    /// The encrypted item requires a passphrase: `errSecPassphraseRequired`.
    package static let passphraseRequired = Status(rawValue: -25260)

    /// The passphrase is not a string: `errSecInvalidPasswordRef`.
    package static let invalidPassword = Status(rawValue: -25261)

    /// The passphrase of a PKCS #12 file is wrong, or the file was altered: `errSecPkcs12VerifyFailure`.
    package static let pkcs12VerifyFailure = Status(rawValue: -25264)
}
