// SPDX-License-Identifier: Apache-2.0

public import PortableSecurity

/// When an item can be read, and the authentication that it requires.
///
/// There is no default: the protection of a secret is decided where the secret is stored.
public struct Protection: Sendable {
    /// In which states of the device the item can be read.
    public let accessibility: Accessibility

    /// The required authentication; empty for none.
    ///
    /// ``isGuarded`` distinguishes an empty set from none.
    public let constraints: SecAccessControlCreateFlags

    /// Whether the item has an access control.
    public let isGuarded: Bool

    /// Readable in some states of the device, by every program that has the access group.
    public static func accessible(_ accessibility: Accessibility) -> Protection {
        Protection(accessibility: accessibility, constraints: [], isGuarded: false)
    }

    /// Readable in some lock states, after authentication.
    ///
    /// The constraints are those of `SecAccessControlCreateWithFlags`; contradictory ones are rejected when the item is
    /// stored. Such an item cannot be synchronizable.
    public static func guarded(
        _ constraints: SecAccessControlCreateFlags,
        accessible accessibility: Accessibility
    ) -> Protection {
        Protection(accessibility: accessibility, constraints: constraints, isGuarded: true)
    }
}

extension Protection: Hashable {
    /// Whether both are equal.
    public static func == (left: Protection, right: Protection) -> Bool {
        left.accessibility == right.accessibility && left.isGuarded == right.isGuarded
            && left.constraints.rawValue == right.constraints.rawValue
    }

    /// Hashes the compared values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(accessibility)
        hasher.combine(isGuarded)
        hasher.combine(constraints.rawValue)
    }
}
