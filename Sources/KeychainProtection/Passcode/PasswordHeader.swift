// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// What it takes to make a key from a password again, and to tell a right one from a wrong one
/// (Documentation/Format.md, "Password header").
public struct PasswordHeader: Sendable, Hashable {
    static let byteCount = Bytes16.count + ScryptParameters.byteCount + Bytes16.count

    /// How much work one password is.
    public let work: ScryptParameters

    let salt: [UInt8]
    private let checkCode: Bytes16

    /// The header of a new password: makes its key with a fresh salt.
    static func make(
        _ work: ScryptParameters,
        _ derive: (_ salt: [UInt8]) throws(ProtectionError) -> SymmetricKey
    ) throws(ProtectionError) -> (PasswordHeader, SymmetricKey) {
        let salt = [UInt8].random(count: Bytes16.count)
        let key = try derive(salt)
        return (PasswordHeader(work: work, salt: salt, checkCode: checkCode(of: key)), key)
    }

    /// Whether a key is that of the right password.
    func isRight(_ key: SymmetricKey) -> Bool {
        SecretBytes(Self.checkCode(of: key).bytes) == SecretBytes(checkCode.bytes)
    }

    /// The first 16 bytes of HMAC-SHA-256 (RFC 2104) over a fixed text.
    private static func checkCode(of key: SymmetricKey) -> Bytes16 {
        Authentication.code(Array("swift-keychain 1 password check".utf8), under: key).withUnsafeBytes { code in
            guard let first = Bytes16(code) else { preconditionFailure("HMAC-SHA-256 has 32 bytes") }
            return first
        }
    }
}

extension PasswordHeader {
    /// The bytes in a file: salt, parameters, check code.
    var encoded: [UInt8] { salt + work.encoded + checkCode.bytes }

    /// Reads a header; `nil` when it asks for more work than a file may.
    init?(_ reader: inout ByteReader) throws(ByteReader.Truncated) {
        salt = Array(try reader.take(Bytes16.count))
        work = try ScryptParameters(&reader)
        guard let checkCode = Bytes16(try reader.take(Bytes16.count)), work.areAcceptable else { return nil }
        self.checkCode = checkCode
    }
}

/// The key that an application password gives, for items with one header.
public struct PasswordKey: Sendable {
    /// The header of the items.
    public let header: PasswordHeader

    let key: SymmetricKey
}
