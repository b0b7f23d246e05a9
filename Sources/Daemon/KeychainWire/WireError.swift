// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Why bytes are not a message, or a value cannot be encoded.
package enum WireError: String, Error, Sendable, Hashable {
    /// The bytes end before the message does.
    case truncated
    /// There are bytes after the end.
    case trailingBytes
    /// The message is of another version.
    case version
    /// A number is not a case of its type.
    case unknownCase
    /// A value is not one of its type: text that is not UTF-8, a number out of range, a key that comes twice.
    case invalidValue
    /// Values are nested too deeply.
    case tooDeep
    /// The message is longer than is allowed.
    case tooLong
    /// In a text of a program more combining marks follow each other than are allowed.
    case tooManyMarks
}

extension KeychainError {
    /// The failure of a command that could not be sent, or whose reply could not be read.
    package init(_ error: WireError) {
        switch error {
        case .tooLong:
            self.init(
                .dataTooLarge,
                "a command or its answer is larger than the \(WireMessage.longestBody >> 20) MiB that fit into a message",
                kind: .transport
            )
        case .tooManyMarks: self = .tooManyMarks
        case .truncated, .trailingBytes, .version, .unknownCase, .invalidValue, .tooDeep:
            self.init(
                .internalComponent,
                "a message to or from the keychain cannot be used: \(error.rawValue)",
                kind: .transport
            )
        }
    }
}
