// SPDX-License-Identifier: Apache-2.0

import CommonCrypto
import Crypto
import Foundation

/// `CCHmac`.
@_cdecl("CCHmac")
public func hmac(
    _ algorithm: CCHmacAlgorithm,
    _ key: UnsafeRawPointer?,
    _ keyCount: Int,
    _ data: UnsafeRawPointer?,
    _ count: Int,
    _ code: UnsafeMutableRawPointer?
) {
    guard let code else { return }
    let key = UnsafeRawBufferPointer(start: key, count: keyCount)
    let message = UnsafeRawBufferPointer(start: data, count: count)
    switch Int(algorithm) {
    case kCCHmacAlgSHA1: write(Insecure.SHA1.self, of: message, key: key, to: code)
    case kCCHmacAlgMD5: write(Insecure.MD5.self, of: message, key: key, to: code)
    case kCCHmacAlgSHA256: write(SHA256.self, of: message, key: key, to: code)
    case kCCHmacAlgSHA384: write(SHA384.self, of: message, key: key, to: code)
    case kCCHmacAlgSHA512: write(SHA512.self, of: message, key: key, to: code)
    default:
        // swift-crypto has no SHA-224; for an algorithm that neither has, nothing is written.
        var context = CCHmacContext()
        CCHmacInit(&context, algorithm, key.baseAddress, keyCount)
        CCHmacUpdate(&context, data, count)
        CCHmacFinal(&context, code)
    }
}

private func write<Function: HashFunction>(
    _ function: Function.Type,
    of message: UnsafeRawBufferPointer,
    key: UnsafeRawBufferPointer,
    to code: UnsafeMutableRawPointer
) {
    HMAC<Function>.authenticationCode(for: message, using: SymmetricKey(data: key)).withUnsafeBytes { bytes in
        code.copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(code), byteCount: bytes.count)
    }
}
