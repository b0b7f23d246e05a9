// SPDX-License-Identifier: Apache-2.0

import Crypto

/// AES key wrap (RFC 3394) of 256-bit keys: 32 bytes become 40.
enum KeyWrap {
    static let wrappedByteCount = 40

    static func wrap(_ key: SymmetricKey, under wrappingKey: SymmetricKey) throws(ProtectionError) -> [UInt8] {
        do { return Array(try AES.KeyWrap.wrap(key, using: wrappingKey)) } catch {
            throw .cryptography("AES key wrap: \(error)")
        }
    }

    /// The key; `nil` when the integrity check of RFC 3394 fails.
    static func unwrap(_ wrapped: ArraySlice<UInt8>, under wrappingKey: SymmetricKey) -> SymmetricKey? {
        guard wrapped.count == wrappedByteCount else { return nil }
        return try? AES.KeyWrap.unwrap(wrapped, using: wrappingKey)
    }
}

extension SymmetricKey {
    /// A fresh key of 256 bits, of the system's generator.
    static func random() -> SymmetricKey { SymmetricKey(size: .bits256) }

    /// `withUnsafeBytes` with a typed error.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var result: Swift.Result<Result, Failure>?
        withUnsafeBytes { bytes in
            do throws(Failure) {
                result = .success(try body(bytes))
            } catch {
                result = .failure(error)
            }
        }
        guard let result else { preconditionFailure("withUnsafeBytes calls its body once") }
        return try result.get()
    }
}
