// SPDX-License-Identifier: Apache-2.0

public import Foundation

// swift-format-ignore: AvoidRetroactiveConformances
/// Makes a string constant and a Swift string the same key of an `[AnyHashable: Any]`, as on Apple's platforms.
///
/// Without it, a result cast to `[AnyHashable: Any]` could not be indexed by a constant. The protocol is the standard
/// library's hook for this; a test detects when a release changes it.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    /// The hashable form of the Swift string.
    public func _toCustomAnyHashable() -> AnyHashable? {
        AnyHashable(self as String)
    }
}
