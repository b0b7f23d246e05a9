// SPDX-License-Identifier: Apache-2.0

/// The privacy of a value in a log.
///
/// On Linux, private values can never be revealed later: their text is never written.
public struct OSLogPrivacy: Equatable, Sendable {
    /// The placeholder for a private value.
    public enum Mask: Equatable, Sendable {
        /// A text that identifies equal values of one process, and nothing else.
        case hash
        /// Nothing of the value.
        case none
    }

    private enum Visibility: Sendable {
        case shown, hidden, automatic
    }

    private let visibility: Visibility
    private let mask: Mask

    /// The value is written.
    public static var `public`: OSLogPrivacy { OSLogPrivacy(visibility: .shown, mask: .none) }

    /// The value is not written: `<private>`.
    public static var `private`: OSLogPrivacy { .private(mask: .none) }

    /// The value is not written, and must not be on any device: `<private>`.
    public static var sensitive: OSLogPrivacy { .private(mask: .none) }

    /// Numbers, truth values and types are written; texts and objects are not.
    public static var auto: OSLogPrivacy { .auto(mask: .none) }

    /// A placeholder is written instead of the value.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(visibility: .hidden, mask: mask) }

    /// A placeholder is written instead of the value.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { .private(mask: mask) }

    /// Like ``auto``, with a placeholder for a value that is not written.
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(visibility: .automatic, mask: mask) }

    /// The text to write for a value.
    func text(of value: () -> String, isPublicByDefault: Bool) -> String {
        if visibility == .shown || (visibility == .automatic && isPublicByDefault) { return value() }
        return mask == .hash ? "<mask.hash: '\(Self.hash(value()))'>" : "<private>"
    }

    /// The standard library's hash (SipHash-1-3) of 16 random bytes of this process and the value.
    ///
    /// Without knowing the bytes, values cannot be guessed, even if the library's hash itself is deterministic.
    private static func hash(_ value: String) -> String {
        var hasher = Hasher()
        hasher.combine(salt.0)
        hasher.combine(salt.1)
        hasher.combine(value)
        return String(UInt(bitPattern: hasher.finalize()), radix: 16)
    }

    private static let salt: (UInt64, UInt64) = (.random(in: .min ... .max), .random(in: .min ... .max))
}
