// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Shared web credentials belong to an Apple account, which Linux does not have.

// The string is safe to share because it never changes.
/// The key of the password in a shared web credential, which does not exist here.
nonisolated(unsafe) public let kSecSharedPassword: CFString = "spwd"

/// Stores a password for a website and its apps; not supported on Linux.
///
/// The handler is called immediately with `errSecUnimplemented`.
public func SecAddSharedWebCredential(
    _ fullyQualifiedDomainName: CFString,
    _ account: CFString,
    _ password: CFString?,
    _ completionHandler: @escaping (CFError?) -> Void
) {
    completionHandler(SecurityError.make(errSecUnimplemented))
}

/// Requests passwords for a website; not supported on Linux.
///
/// The handler is called immediately with `errSecUnimplemented`.
public func SecRequestSharedWebCredential(
    _ fullyQualifiedDomainName: CFString?,
    _ account: CFString?,
    _ completionHandler: @escaping (CFArray?, CFError?) -> Void
) {
    completionHandler(nil, SecurityError.make(errSecUnimplemented))
}

/// Generates a random password of four groups of three letters and digits, such as `k3x-9mT-pQr-7wz`.
///
/// Letters and digits that look alike are excluded: 57 remain, so twelve of them carry 69 bits.
@discardableResult
public func SecCreateSharedWebCredentialPassword() -> CFString? {
    let alphabet = Array("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    let groups = (0..<4).map { _ in String((0..<3).compactMap { _ in alphabet.randomElement() }) }
    return NSString(string: groups.joined(separator: "-"))
}
