// SPDX-License-Identifier: Apache-2.0

import Crypto

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
