// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What an item says of itself besides its key: none of it is part of the key, and none of it is secret.
public struct ItemDetails: Sendable, Hashable {
    /// The name that people see.
    public var label: String?

    /// What kind of item it is, for people; of passwords.
    public var kind: String?

    /// A comment; of passwords.
    public var comment: String?

    /// Whatever the app wants; of generic passwords.
    public var generic: Data?

    /// Details; what is `nil` is left out of an add, and stays as it is in a set or an update.
    public init(label: String? = nil, kind: String? = nil, comment: String? = nil, generic: Data? = nil) {
        self.label = label
        self.kind = kind
        self.comment = comment
        self.generic = generic
    }

    /// None.
    public static let none = ItemDetails()
}
