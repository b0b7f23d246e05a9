// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// What the keychain answered instead of success.
public struct KeychainError: LocalizedError, Equatable {
    /// One of the `errSec…` codes.
    public let status: OSStatus

    /// The keychain's own text, and the code to look it up by.
    public var errorDescription: String? {
        let text = SecCopyErrorMessageString(status, nil) as String? ?? "Unknown error."
        return "\(text) (\(status))"
    }
}
