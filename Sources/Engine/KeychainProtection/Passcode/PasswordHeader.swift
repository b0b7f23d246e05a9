// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The parameters for deriving a key from a password, and for verifying the password (Documentation/Format.md,
/// "Password header").
package struct PasswordHeader: Sendable, Hashable {
    static let byteCount = Bytes16.count + ScryptParameters.byteCount + Bytes16.count

    /// How much work one password is.
    package let work: ScryptParameters

    let salt: [UInt8]
    private let checkCode: Bytes16

    /// Creates the header of a new password, and derives its key with a fresh salt.
    static func make(
        _ password: SecretBytes,
        _ work: ScryptParameters
    ) throws(ProtectionError) -> (PasswordHeader, SymmetricKey) {
        try StackMemory.wiped { () throws(ProtectionError) in
            let salt = [UInt8].random(count: Bytes16.count)
            let key = try Scrypt.key(from: password, salt: salt, work)
            return (PasswordHeader(work: work, salt: salt, checkCode: checkCode(of: key)), key)
        }
    }

    /// The key derived from a password; `nil` if the password is wrong.
    func key(_ password: SecretBytes) throws(ProtectionError) -> SymmetricKey? {
        try StackMemory.wiped { () throws(ProtectionError) in
            let key = try Scrypt.key(from: password, salt: salt, work)
            return SecretBytes(Self.checkCode(of: key).bytes) == SecretBytes(checkCode.bytes) ? key : nil
        }
    }

    /// The first 16 bytes of a key that HKDF derives for this purpose only.
    private static func checkCode(of key: SymmetricKey) -> Bytes16 {
        KeyDerivation.derive("password check", from: key).withUnsafeBytes { code in
            guard let first = Bytes16(code) else { preconditionFailure("a derived key has 32 bytes") }
            return first
        }
    }
}

extension PasswordHeader {
    /// The bytes in a file: salt, parameters, check code.
    var encoded: [UInt8] { salt + work.encoded + checkCode.bytes }

    /// Parses a header; `nil` if it specifies more work than a file may.
    init?(_ reader: inout ByteReader) throws(ByteReader.Truncated) {
        salt = Array(try reader.readBytes(Bytes16.count))
        work = try ScryptParameters(&reader)
        guard let checkCode = Bytes16(try reader.readBytes(Bytes16.count)), work.areAcceptable else { return nil }
        self.checkCode = checkCode
    }
}
