// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A keychain as a place to import to: here there is one, the data protection keychain of the user.
public final class SecKeychain: Sendable {
    static let standard = SecKeychain()

    private init() {}
}

/// The keychain that items go to.
///
/// - Parameter keychain: where the keychain goes.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecKeychainCopyDefault(_ keychain: UnsafeMutablePointer<SecKeychain?>) -> OSStatus {
    keychain.pointee = .standard
    return errSecSuccess
}
