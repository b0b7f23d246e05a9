// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An entry of an access list: operations, and the programs that may perform them without a prompt.
///
/// It belongs to its ``SecAccess``, which reflects its changes.
public final class SecACL: Hashable, Sendable {
    private let access: SecAccess
    private let number: Int

    init(_ access: SecAccess, _ number: Int) {
        self.access = access
        self.number = number
    }

    /// Whether both are the same entry of the same object.
    public static func == (left: SecACL, right: SecACL) -> Bool {
        left.access === right.access && left.number == right.number
    }

    /// Feeds what identifies the entry.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(access))
        hasher.combine(number)
    }

    /// The contents of the entry; `nil` once it was removed.
    var entry: AccessEntry? { access.entry(number) }

    /// As ``SecAccess/change(_:_:)``.
    func change(_ body: (inout AccessEntry) throws(KeychainError) -> Void) throws(KeychainError) {
        try access.change(number, body)
    }

    /// As ``SecAccess/remove(_:)``.
    func remove() throws(KeychainError) { try access.remove(number) }
}

/// When the password of the keychain is required in addition to the list of programs.
///
/// Stored and shown; it never causes a prompt here.
public struct SecKeychainPromptSelector: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt16

    /// A selector of these bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Always.
    public static let requirePassphase = SecKeychainPromptSelector(rawValue: 0x0001)
    /// From programs that are not signed, instead of what is usual.
    public static let unsigned = SecKeychainPromptSelector(rawValue: 0x0010)
    /// Whether ``unsigned`` is in effect.
    public static let unsignedAct = SecKeychainPromptSelector(rawValue: 0x0020)
    /// From programs whose signature is not valid, instead of what is usual.
    public static let invalid = SecKeychainPromptSelector(rawValue: 0x0040)
    /// Whether ``invalid`` is in effect.
    public static let invalidAct = SecKeychainPromptSelector(rawValue: 0x0080)
}
