// SPDX-License-Identifier: Apache-2.0

import CommonCrypto
import Crypto
import Foundation

/// `CC_MD5`.
@_cdecl("CC_MD5")
public func md5(_ data: UnsafeRawPointer?, _ count: CC_LONG, _ digest: DigestBytes?) -> DigestBytes? {
    hash(Insecure.MD5.self, of: data, count: count, into: digest)
}

/// `CC_SHA1`.
@_cdecl("CC_SHA1")
public func sha1(_ data: UnsafeRawPointer?, _ count: CC_LONG, _ digest: DigestBytes?) -> DigestBytes? {
    hash(Insecure.SHA1.self, of: data, count: count, into: digest)
}

/// `CC_SHA256`.
@_cdecl("CC_SHA256")
public func sha256(_ data: UnsafeRawPointer?, _ count: CC_LONG, _ digest: DigestBytes?) -> DigestBytes? {
    hash(SHA256.self, of: data, count: count, into: digest)
}

/// `CC_SHA384`.
@_cdecl("CC_SHA384")
public func sha384(_ data: UnsafeRawPointer?, _ count: CC_LONG, _ digest: DigestBytes?) -> DigestBytes? {
    hash(SHA384.self, of: data, count: count, into: digest)
}

/// `CC_SHA512`.
@_cdecl("CC_SHA512")
public func sha512(_ data: UnsafeRawPointer?, _ count: CC_LONG, _ digest: DigestBytes?) -> DigestBytes? {
    hash(SHA512.self, of: data, count: count, into: digest)
}

/// The destination of a digest.
public typealias DigestBytes = UnsafeMutablePointer<UInt8>

private func hash<Function: HashFunction>(
    _ function: Function.Type,
    of data: UnsafeRawPointer?,
    count: CC_LONG,
    into digest: DigestBytes?
) -> DigestBytes? {
    guard let digest else { return nil }
    var function = Function()
    function.update(bufferPointer: UnsafeRawBufferPointer(start: data, count: Int(count)))
    function.finalize().withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(start: digest, count: bytes.count).copyMemory(from: bytes)
    }
    return digest
}
