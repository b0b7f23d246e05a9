// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Access control lists of macOS keychain files. There are no such files on Linux.

/// Makes an access control list; there are none on Linux.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecAccessCreate(
    _ descriptor: CFString,
    _ trustedList: CFArray?,
    _ access: UnsafeMutablePointer<SecAccess?>
) -> OSStatus {
    errSecUnimplemented
}

/// Names a program for an access control list; there are none on Linux.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustedApplicationCreateFromPath(
    _ path: UnsafePointer<CChar>?,
    _ application: UnsafeMutablePointer<SecTrustedApplication?>
) -> OSStatus {
    errSecUnimplemented
}
