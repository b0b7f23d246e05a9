// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import KeychainCore

/// When an item is accessible, and the authentication that its use requires.
public final class SecAccessControl: Hashable, Sendable {
    /// The protection and the constraints.
    package let value: AccessControl

    init(_ value: AccessControl) { self.value = value }

    /// Whether protection and constraints are the same.
    public static func == (left: SecAccessControl, right: SecAccessControl) -> Bool { left.value == right.value }

    /// Feeds protection and constraints.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// The constraints of an access control.
public struct SecAccessControlCreateFlags: OptionSet, Hashable, Sendable {
    /// The bits, as Apple numbers them.
    public let rawValue: CFOptionFlags

    /// Flags from their bits.
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    private init(_ flags: AccessControlFlags) { rawValue = CFOptionFlags(flags.rawValue) }

    /// Biometry or the passcode.
    public static let userPresence = SecAccessControlCreateFlags(.userPresence)
    /// Any enrolled biometry.
    public static let biometryAny = SecAccessControlCreateFlags(.biometryAny)
    /// The older name of ``biometryAny``.
    public static let touchIDAny = biometryAny
    /// The biometry that is enrolled now.
    public static let biometryCurrentSet = SecAccessControlCreateFlags(.biometryCurrentSet)
    /// The older name of ``biometryCurrentSet``.
    public static let touchIDCurrentSet = biometryCurrentSet
    /// The device passcode.
    public static let devicePasscode = SecAccessControlCreateFlags(.devicePasscode)
    /// A paired companion device.
    public static let companion = SecAccessControlCreateFlags(.companion)
    /// The older name of ``companion``.
    public static let watch = companion
    /// One constraint is enough.
    public static let or = SecAccessControlCreateFlags(.or)
    /// All constraints are needed.
    public static let and = SecAccessControlCreateFlags(.and)
    /// The constraints guard the use of a private key.
    public static let privateKeyUsage = SecAccessControlCreateFlags(.privateKeyUsage)
    /// An application password contributes to the item's key.
    public static let applicationPassword = SecAccessControlCreateFlags(.applicationPassword)
}

/// Creates an access control from an accessibility constant and flags.
///
/// - Parameters:
///   - allocator: ignored.
///   - protection: one of the `kSecAttrAccessible…` constants.
///   - flags: the constraints; contradictions are rejected (Semantics, "Access control").
///   - error: receives `errSecParam` in the domain `NSOSStatusErrorDomain`, retained for the caller.
/// - Returns: The access control; `nil` on an error.
@discardableResult
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?,
    _ protection: CFTypeRef,
    _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    guard let name = protection as? String, let accessibility = Accessibility(rawValue: name),
        let constraints = AccessConstraints(AccessControlFlags(rawValue: UInt64(flags.rawValue)))
    else {
        SecurityError.hand(errSecParam, to: error)
        return nil
    }
    return SecAccessControl(AccessControl(protection: accessibility, constraints: constraints))
}
