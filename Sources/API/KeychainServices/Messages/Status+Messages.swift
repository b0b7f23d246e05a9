// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The statuses of messages.
extension Status {
    /// The signature has no timestamp: `errSecTimestampMissing`.
    static let timestampMissing = Status(rawValue: -67882)

    /// The timestamp is not one of the signature: `errSecTimestampInvalid`.
    static let timestampInvalid = Status(rawValue: -67883)

    /// The authority of the timestamp is not trusted: `errSecTimestampNotTrusted`.
    static let timestampNotTrusted = Status(rawValue: -67884)

    /// The signer names no time: `errSecSigningTimeMissing`.
    static let signingTimeMissing = Status(rawValue: -67894)

    /// The chain of a certificate does not reach a root: `errSecCreateChainFailed`.
    static let createChainFailed = Status(rawValue: -25318)
}
