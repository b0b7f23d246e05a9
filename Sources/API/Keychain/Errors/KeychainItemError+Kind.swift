// SPDX-License-Identifier: Apache-2.0

extension KeychainItemError {
    /// Kinds of failure that a program treats in different ways.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The item exists, or may exist, and the device is locked: not the same as absent.
        case locked
        /// Authentication is required, but interaction is not allowed or not possible.
        case authenticationRequired
        /// Authentication failed, or can never succeed.
        case authenticationFailed
        /// The user or the program cancelled.
        case cancelled
        /// There is an item with the same key.
        case duplicate
        /// The app may not use the access group, or has none.
        case missingEntitlement
        /// The stored value does not have the requested type.
        case undecodableValue
        /// The value cannot be encoded.
        case unencodableValue
        /// The stored item is damaged.
        case damaged
        /// The keychain as a whole cannot be used now.
        case unavailable
        /// The keychain cannot be written: read-only or full.
        case notWritable
        /// The request is invalid: a mistake in the program.
        case invalidRequest
        /// Anything else.
        case other
    }

    /// Whether the device is locked: try again when it is unlocked, and do not store anything in the item's place.
    public var isLocked: Bool { kind == .locked }

    /// Whether there is an item with the same key.
    public var isDuplicate: Bool { kind == .duplicate }

    /// Whether the user or the program cancelled.
    public var isCancelled: Bool { kind == .cancelled }

    /// Whether authentication is required.
    public var needsAuthentication: Bool { kind == .authenticationRequired }

    /// Whether the app lacks an entitlement.
    public var isMissingEntitlement: Bool { kind == .missingEntitlement }
}
