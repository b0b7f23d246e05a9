// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

import Foundation

// The older functions on keys, each in two shapes: Swift turns a raw pointer into a typed one for imported C functions
// only, so a second, disfavoured overload takes raw pointers. None is implemented yet.

/// Signs in the older form; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecKeyRawSign(
    _ key: SecKey,
    _ padding: SecPadding,
    _ dataToSign: UnsafePointer<UInt8>,
    _ dataToSignLength: Int,
    _ signature: UnsafeMutablePointer<UInt8>,
    _ signatureLength: UnsafeMutablePointer<Int>
) -> OSStatus {
    errSecUnimplemented
}

/// Signs in the older form; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@_disfavoredOverload
@discardableResult
public func SecKeyRawSign(
    _ key: SecKey,
    _ padding: SecPadding,
    _ dataToSign: UnsafeRawPointer,
    _ dataToSignLength: Int,
    _ signature: UnsafeMutableRawPointer,
    _ signatureLength: UnsafeMutablePointer<Int>
) -> OSStatus {
    errSecUnimplemented
}

/// Encrypts in the older form; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecKeyEncrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ plainText: UnsafePointer<UInt8>,
    _ plainTextLength: Int,
    _ cipherText: UnsafeMutablePointer<UInt8>,
    _ cipherTextLength: UnsafeMutablePointer<Int>
) -> OSStatus {
    errSecUnimplemented
}

/// Encrypts in the older form; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@_disfavoredOverload
@discardableResult
public func SecKeyEncrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ plainText: UnsafeRawPointer,
    _ plainTextLength: Int,
    _ cipherText: UnsafeMutableRawPointer,
    _ cipherTextLength: UnsafeMutablePointer<Int>
) -> OSStatus {
    errSecUnimplemented
}

/// Decrypts in the older form; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecKeyDecrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ cipherText: UnsafePointer<UInt8>,
    _ cipherTextLength: Int,
    _ plainText: UnsafeMutablePointer<UInt8>,
    _ plainTextLength: UnsafeMutablePointer<Int>
) -> OSStatus {
    errSecUnimplemented
}

/// Decrypts in the older form; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@_disfavoredOverload
@discardableResult
public func SecKeyDecrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ cipherText: UnsafeRawPointer,
    _ cipherTextLength: Int,
    _ plainText: UnsafeMutableRawPointer,
    _ plainTextLength: UnsafeMutablePointer<Int>
) -> OSStatus {
    errSecUnimplemented
}

/// Checks a signature in the older form; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecKeyRawVerify(
    _ key: SecKey,
    _ padding: SecPadding,
    _ signedData: UnsafePointer<UInt8>,
    _ signedDataLength: Int,
    _ signature: UnsafePointer<UInt8>,
    _ signatureLength: Int
) -> OSStatus {
    errSecUnimplemented
}

/// Checks a signature in the older form; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@_disfavoredOverload
@discardableResult
public func SecKeyRawVerify(
    _ key: SecKey,
    _ padding: SecPadding,
    _ signedData: UnsafeRawPointer,
    _ signedDataLength: Int,
    _ signature: UnsafeRawPointer,
    _ signatureLength: Int
) -> OSStatus {
    errSecUnimplemented
}
