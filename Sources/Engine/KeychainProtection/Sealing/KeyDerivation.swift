// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// HKDF-Expand with SHA-256 (RFC 5869, section 2.3), with a label for each purpose.
///
/// Every input key is a uniformly random key or an output of scrypt, so the first half of HKDF is omitted (RFC 5869,
/// section 3.3). Such a key is never used for anything else (NIST SP 800-57 part 1, section 5.2).
///
/// 32 bytes are one block of output: HMAC over the information and the octet 1. So one keyed state serves several
/// purposes.
struct KeyDerivation {
    private let keyed: KeyedHash

    init(from key: SymmetricKey) { keyed = KeyedHash(key) }

    init(from key: LockedKey) { keyed = key.withUnsafeBytes { KeyedHash($0) } }

    /// A key for a purpose; `context` holds the other values that the key depends on, which may be public.
    func derive(_ purpose: String, context: [UInt8] = []) -> SymmetricKey {
        derive(purpose) { $0 += context }
    }

    /// The same; the context is put in its place, so that a short-lived key costs one array.
    func derive(
        _ purpose: String,
        _ format: UInt8 = FileFormat.keyNumber,
        appendingContext append: (inout [UInt8]) -> Void
    ) -> SymmetricKey {
        var code = keyed
        return Self.derive(purpose, format: format, with: &code, appendingContext: append)
    }

    private static func derive(
        _ purpose: String,
        format: UInt8,
        with code: inout KeyedHash,
        appendingContext append: (inout [UInt8]) -> Void
    ) -> SymmetricKey {
        var information = beginning(purpose, format)
        append(&information)
        information.append(1)
        code.update(information)
        return SymmetricKey(data: code.finalize())
    }

    /// The same for one purpose.
    static func derive(_ purpose: String, from key: SymmetricKey, context: [UInt8] = []) -> SymmetricKey {
        KeyDerivation(from: key).derive(purpose, context: context)
    }

    /// The same for one purpose and a key in locked memory, which is not copied.
    static func derive(_ purpose: String, from key: LockedKey, context: [UInt8] = []) -> SymmetricKey {
        derive(purpose, from: key) { $0 += context }
    }

    /// The same; the context is put in its place.
    static func derive(
        _ purpose: String,
        _ format: UInt8 = FileFormat.keyNumber,
        from key: LockedKey,
        appendingContext append: (inout [UInt8]) -> Void
    ) -> SymmetricKey {
        var code = key.withUnsafeBytes { KeyedHash($0) }
        return derive(purpose, format: format, with: &code, appendingContext: append)
    }

    /// The information of the derivation: the format, the purpose, a zero octet, the context.
    static func information(_ purpose: String, _ context: [UInt8]) -> [UInt8] {
        beginning(purpose, FileFormat.keyNumber) + context
    }

    private static func beginning(_ purpose: String, _ format: UInt8) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        bytes += prefix
        bytes.append(UInt8(ascii: "0") + format)
        bytes.append(UInt8(ascii: " "))
        bytes += purpose.utf8
        bytes.append(0)
        return bytes
    }

    private static let prefix = Array("swift-keychain ".utf8)
}
