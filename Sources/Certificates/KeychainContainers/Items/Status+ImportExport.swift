// SPDX-License-Identifier: Apache-2.0

public import KeychainCore

/// The statuses of importing and exporting (Semantics, "Importing and exporting files").
extension Status {
    /// The format is known, but not implemented, or does not take the item: `errSecUnsupportedFormat`.
    public static let unsupportedFormat = Status(rawValue: -25256)

    /// The key does not leave its place: `errSecKeyIsSensitive`.
    public static let keyIsSensitive = Status(rawValue: -25258)

    /// What is encrypted needs a passphrase: `errSecPassphraseRequired`.
    public static let passphraseRequired = Status(rawValue: -25260)

    /// The passphrase is no string: `errSecInvalidPasswordRef`.
    public static let invalidPassword = Status(rawValue: -25261)

    /// The passphrase of a PKCS #12 file is wrong, or the file was altered: `errSecPkcs12VerifyFailure`.
    public static let pkcs12VerifyFailure = Status(rawValue: -25264)
}
