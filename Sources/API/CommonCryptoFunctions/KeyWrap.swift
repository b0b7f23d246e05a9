// SPDX-License-Identifier: Apache-2.0

import CommonCrypto
import Crypto
import Foundation

/// `CCSymmetricKeyWrap`.
@_cdecl("CCSymmetricKeyWrap")
public func symmetricKeyWrap(
    _ algorithm: CCWrappingAlgorithm,
    _ initialValue: UnsafePointer<UInt8>?,
    _ initialValueCount: Int,
    _ wrappingKey: UnsafePointer<UInt8>?,
    _ wrappingKeyCount: Int,
    _ key: UnsafePointer<UInt8>?,
    _ keyCount: Int,
    _ output: UnsafeMutablePointer<UInt8>?,
    _ outputCount: ByteCountPointer?
) -> CInt {
    wrapping(
        by: algorithm,
        initialValue: initialValue,
        initialValueCount: initialValueCount,
        wrappingKey: wrappingKey,
        wrappingKeyCount: wrappingKeyCount,
        output: output,
        outputCount: outputCount
    ) {
        (wrappingKey, room) throws(CryptorError) in
        guard let key, keyCount >= 16, keyCount % 8 == 0 else { throw CryptorError(kCCParamError) }
        guard room.count >= keyCount + 8 else { throw CryptorError(kCCBufferTooSmall, needed: keyCount + 8) }
        let secret = SymmetricKey(data: UnsafeRawBufferPointer(start: key, count: keyCount))
        guard let wrapped = try? AES.KeyWrap.wrap(secret, using: wrappingKey) else {
            throw CryptorError(kCCUnspecifiedError)
        }
        room.copyBytes(from: wrapped)
        return wrapped.count
    }
}

/// `CCSymmetricKeyUnwrap`.
@_cdecl("CCSymmetricKeyUnwrap")
public func symmetricKeyUnwrap(
    _ algorithm: CCWrappingAlgorithm,
    _ initialValue: UnsafePointer<UInt8>?,
    _ initialValueCount: Int,
    _ wrappingKey: UnsafePointer<UInt8>?,
    _ wrappingKeyCount: Int,
    _ wrapped: UnsafePointer<UInt8>?,
    _ wrappedCount: Int,
    _ output: UnsafeMutablePointer<UInt8>?,
    _ outputCount: ByteCountPointer?
) -> CInt {
    wrapping(
        by: algorithm,
        initialValue: initialValue,
        initialValueCount: initialValueCount,
        wrappingKey: wrappingKey,
        wrappingKeyCount: wrappingKeyCount,
        output: output,
        outputCount: outputCount
    ) {
        (wrappingKey, room) throws(CryptorError) in
        guard let wrapped, wrappedCount >= 24, wrappedCount % 8 == 0 else { throw CryptorError(kCCParamError) }
        guard room.count >= wrappedCount - 8 else { throw CryptorError(kCCBufferTooSmall, needed: wrappedCount - 8) }
        let bytes = UnsafeRawBufferPointer(start: wrapped, count: wrappedCount)
        guard let key = try? AES.KeyWrap.unwrap(bytes, using: wrappingKey) else { throw CryptorError(kCCDecodeError) }
        key.withUnsafeBytes { room.copyMemory(from: $0) }
        return wrappedCount - 8
    }
}

/// `CCSymmetricWrappedSize`.
@_cdecl("CCSymmetricWrappedSize")
public func symmetricWrappedSize(_ algorithm: CCWrappingAlgorithm, _ count: Int) -> Int {
    count &+ 8
}

/// `CCSymmetricUnwrappedSize`.
@_cdecl("CCSymmetricUnwrappedSize")
public func symmetricUnwrappedSize(_ algorithm: CCWrappingAlgorithm, _ count: Int) -> Int {
    Swift.max(0, count &- 8)
}

private func wrapping(
    by algorithm: CCWrappingAlgorithm,
    initialValue: UnsafePointer<UInt8>?,
    initialValueCount: Int,
    wrappingKey: UnsafePointer<UInt8>?,
    wrappingKeyCount: Int,
    output: UnsafeMutablePointer<UInt8>?,
    outputCount: ByteCountPointer?,
    _ body: (SymmetricKey, UnsafeMutableRawBufferPointer) throws(CryptorError) -> Int
) -> CInt {
    guard let outputCount, let wrappingKey, let initialValue, algorithm == kCCWRAPAES else {
        return CInt(kCCParamError)
    }
    let standard = UnsafeBufferPointer(start: CCrfc3394_iv, count: CCrfc3394_ivLen)
    guard UnsafeBufferPointer(start: initialValue, count: initialValueCount).elementsEqual(standard) else {
        return CInt(kCCUnimplemented)
    }
    guard [kCCKeySizeAES128, kCCKeySizeAES192, kCCKeySizeAES256].contains(wrappingKeyCount) else {
        return CInt(kCCKeySizeError)
    }
    let key = SymmetricKey(data: UnsafeRawBufferPointer(start: wrappingKey, count: wrappingKeyCount))
    do {
        let room = UnsafeMutableRawBufferPointer(start: output, count: output == nil ? 0 : outputCount.pointee)
        outputCount.pointee = try body(key, room)
        return CInt(kCCSuccess)
    } catch {
        if let needed = error.needed { outputCount.pointee = needed }
        return error.status
    }
}
