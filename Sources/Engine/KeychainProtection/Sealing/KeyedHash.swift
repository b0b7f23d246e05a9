// SPDX-License-Identifier: Apache-2.0

import Crypto

/// HMAC-SHA-256 (RFC 2104, FIPS 198-1) on swift-crypto's SHA-256.
///
/// swift-crypto's own HMAC copies the key, unchanged and padded, into heap arrays that are not overwritten, and these
/// copies dominate the cost of a short message. Here the padded key is on the stack, and SHA-256 overwrites its state.
struct KeyedHash {
    static let byteCount = SHA256.byteCount

    private var inner = SHA256()
    private var outer = SHA256()

    /// - Parameter key: at most as long as a block of SHA-256; no key here is longer.
    init(_ key: UnsafeRawBufferPointer) {
        precondition(key.count <= SHA256.blockByteCount, "a longer key would have to be hashed first")
        withUnsafeTemporaryAllocation(byteCount: SHA256.blockByteCount, alignment: 8) { padded in
            defer { padded.wipe() }
            Self.pad(key, 0x36, into: padded)
            inner.update(bufferPointer: UnsafeRawBufferPointer(padded))
            Self.pad(key, 0x5C, into: padded)
            outer.update(bufferPointer: UnsafeRawBufferPointer(padded))
        }
    }

    init(_ key: SymmetricKey) { self = key.withUnsafeBytes { KeyedHash($0) } }

    /// Takes in the next bytes of the message.
    mutating func update(_ bytes: UnsafeRawBufferPointer) { inner.update(bufferPointer: bytes) }

    /// Takes in the next bytes of the message.
    mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { inner.update(bufferPointer: $0) } }

    /// The code of the message; afterwards this must not be used any more.
    ///
    /// A state that is the common prefix of several messages is copied for each of them; that of a single one is not.
    mutating func finalize() -> SHA256.Digest {
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize()
    }

    private static func pad(
        _ key: UnsafeRawBufferPointer,
        _ value: UInt8,
        into padded: UnsafeMutableRawBufferPointer
    ) {
        padded.initializeMemory(as: UInt8.self, repeating: value)
        for index in key.indices { padded[index] ^= key[index] }
    }
}

/// Codes of whole messages by HMAC-SHA-256 (RFC 2104, FIPS 198-1).
enum MessageAuthentication {
    static let byteCount = KeyedHash.byteCount

    static func code(_ message: UnsafeRawBufferPointer, under key: SymmetricKey) -> SymmetricKey {
        var hash = KeyedHash(key)
        hash.update(message)
        return SymmetricKey(data: hash.finalize())
    }

    static func code(_ message: [UInt8], under key: SymmetricKey) -> SymmetricKey {
        message.withUnsafeBytes { code($0, under: key) }
    }

    /// Whether a code is that of a message, in constant time.
    static func isRight(_ code: ArraySlice<UInt8>, _ message: ArraySlice<UInt8>, under key: SymmetricKey) -> Bool {
        let right = message.withUnsafeBytes { Self.code($0, under: key) }
        return SymmetricKey(data: Array(code)) == right
    }
}
