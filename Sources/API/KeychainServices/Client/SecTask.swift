// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainPropertyLists

/// A process whose entitlements can be looked up: this one.
public final class SecTask: Sendable {
    fileprivate init() {}
}

/// This process.
@discardableResult
public func SecTaskCreateFromSelf(_ allocator: CFAllocator?) -> SecTask? { SecTask() }

/// The value of an entitlement in the property list of this process, or of the app in a test.
///
/// - Returns: The value; `nil` if the list has no such entitlement, or there is no list.
@discardableResult
public func SecTaskCopyValueForEntitlement(
    _ task: SecTask,
    _ entitlement: CFString,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFTypeRef? {
    let data = Data(KeychainContext.inEffect.entitlements())
    guard PropertyListShape.isHarmless(data) else { return nil }
    let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? NSDictionary
    return list?.object(forKey: entitlement) as AnyObject?
}
