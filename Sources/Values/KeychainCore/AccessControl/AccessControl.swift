// SPDX-License-Identifier: Apache-2.0

/// The contents of a `SecAccessControl`: a protection class and the constraints on using the item.
package struct AccessControl: Sendable, Hashable {
    /// The protection class.
    package let protection: Accessibility

    /// The constraints; `nil` in the object that a read synthesizes for an item that has only a protection class.
    ///
    /// An object made from flags always has constraints, if empty ones, and never equals a synthesized one
    /// (Semantics, "Values and combinations").
    package let constraints: AccessConstraints?

    /// The biometric set that was enrolled when an item of `biometryCurrentSet` was stored; `nil` otherwise.
    ///
    /// Only that set satisfies the constraint. It is not part of what the caller specified, and comparison ignores it.
    package var enrolledSet: Bytes16?

    /// Creates the access control that a read synthesizes for plain accessibility.
    package init(synthesizedFor protection: Accessibility) {
        self.protection = protection
        constraints = nil
    }

    /// The access control that `SecAccessControlCreateWithFlags` makes.
    package init(protection: Accessibility, constraints: AccessConstraints) {
        self.protection = protection
        self.constraints = constraints
    }

    /// Whether a read or an update of the item requires authentication.
    package var requiresAuthentication: Bool {
        guard let constraints else { return false }
        return !constraints.required.isEmpty || constraints.guardsPrivateKeyUsage
    }

    /// Whether protection and constraints are the same (Semantics, "Access control").
    package static func == (left: AccessControl, right: AccessControl) -> Bool {
        left.protection == right.protection && left.constraints == right.constraints
    }

    /// Feeds protection and constraints.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(protection)
        hasher.combine(constraints)
    }
}

/// The constraints of an access control: which authentications, and whether all of them or any one.
package struct AccessConstraints: Sendable, Hashable {
    /// The authentications that are named.
    package let required: AccessControlFlags

    /// Whether one of them is enough; without meaning, and `false`, for fewer than two.
    package let anyOneSuffices: Bool

    /// Whether the constraints guard the use of a private key instead of the reading of an item.
    package let guardsPrivateKeyUsage: Bool

    /// Checks flags by the rules of `SecAccessControlCreateWithFlags` (Semantics, "Access control").
    ///
    /// - Returns: `nil` if the flags contradict each other.
    package init?(_ flags: AccessControlFlags) {
        let companions: AccessControlFlags = [.userPresence, .applicationPassword, .privateKeyUsage]
        if flags.isSuperset(of: [.or, .and]) { return nil }
        if flags.isSuperset(of: [.biometryAny, .biometryCurrentSet]) { return nil }
        if flags.contains(.userPresence), !flags.isSubset(of: companions) { return nil }
        guard flags.isSubset(of: .all) else { return nil }
        required = flags.intersection(.authentications)
        anyOneSuffices = flags.contains(.or) && required.rawValue.nonzeroBitCount > 1
        guardsPrivateKeyUsage = flags.contains(.privateKeyUsage)
    }

    /// Whether the item's key depends on an application password.
    ///
    /// It is always required in addition, regardless of ``anyOneSuffices``: a key that depends on a password cannot be
    /// obtained through biometry instead.
    package var requiresApplicationPassword: Bool { required.contains(.applicationPassword) }

    /// What the user has to authenticate with, except for the application password.
    package var shown: AccessControlFlags { required.subtracting(.applicationPassword) }

    /// Flags that result in these constraints.
    package var flags: AccessControlFlags {
        var flags = required
        if anyOneSuffices { flags.insert(.or) }
        if guardsPrivateKeyUsage { flags.insert(.privateKeyUsage) }
        return flags
    }
}

/// The option bits of `SecAccessControlCreateFlags` (Semantics, "Access control").
package struct AccessControlFlags: OptionSet, Sendable, Hashable {
    /// The bits, as Apple numbers them.
    package let rawValue: UInt64

    /// A set from its bits.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Biometry or the passcode.
    package static let userPresence = AccessControlFlags(rawValue: 1 << 0)
    /// Any enrolled biometry.
    package static let biometryAny = AccessControlFlags(rawValue: 1 << 1)
    /// The biometry that was enrolled when the item was stored.
    package static let biometryCurrentSet = AccessControlFlags(rawValue: 1 << 3)
    /// The device passcode.
    package static let devicePasscode = AccessControlFlags(rawValue: 1 << 4)
    /// A paired companion device.
    package static let companion = AccessControlFlags(rawValue: 1 << 5)
    /// One of the constraints is enough.
    package static let or = AccessControlFlags(rawValue: 1 << 14)
    /// All of the constraints are needed.
    package static let and = AccessControlFlags(rawValue: 1 << 15)
    /// The constraints guard signing and key agreement.
    package static let privateKeyUsage = AccessControlFlags(rawValue: 1 << 30)
    /// The item's key depends on an application password.
    package static let applicationPassword = AccessControlFlags(rawValue: 1 << 31)

    /// The flags that name an authentication.
    package static let authentications: AccessControlFlags = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .applicationPassword,
    ]
    /// Every flag that has a meaning.
    package static let all: AccessControlFlags = authentications.union([.or, .and, .privateKeyUsage])
}
