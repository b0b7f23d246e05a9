// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// A secret under an application password (Documentation/Format.md, "Password layer"), which the key of a row or of a
/// sealed key seals again.
///
/// The cipher is AES-256-GCM (NIST SP 800-38D) under a key that HKDF derives from that of the password, for one item
/// and with a fresh salt: each key seals one message.
struct PasswordLayer {
    let header: PasswordHeader
    private let salt: ArraySlice<UInt8>
    private let sealed: ArraySlice<UInt8>

    /// The sealed object: a label and an identifier.
    struct Use {
        let label: String
        let subject: [UInt8]

        init(_ label: String, _ subject: [UInt8]) {
            self.label = label
            self.subject = subject
        }
    }

    /// The number of bytes that are added to the secret.
    static let overheadByteCount = PasswordHeader.byteCount + Bytes16.count + GCM.overheadByteCount

    /// Parses a layer; `nil` if the bytes are too few, or the header specifies more work than is permitted.
    init?(_ bytes: SecretBytes) {
        do {
            // Nothing of this is secret that its layers do not seal.
            var reader = ByteReader(bytes.unprotectedCopy[...])
            guard let header = try PasswordHeader(&reader) else { return nil }
            self.header = header
            salt = try reader.readBytes(Bytes16.count)
            sealed = try reader.readRemainingBytes()
        } catch {
            return nil
        }
    }

    static func seal(_ secret: SecretBytes, _ key: PasswordKey, for use: Use) throws(ProtectionError) -> SecretBytes {
        let salt = [UInt8].random(count: Bytes16.count)
        let header = key.header.encoded
        let sealingKey = sealingKey(from: key, for: use, salt: salt[...])
        let sealed = try secret.withUnsafeBytes { plain throws(ProtectionError) in
            try GCM.seal(plain, under: sealingKey, associatedData: header)
        }
        return SecretBytes(header + salt + sealed)
    }

    /// The secret; `nil` when it does not open.
    func open(_ key: PasswordKey, for use: Use) -> SecretBytes? {
        GCM.open(sealed, under: Self.sealingKey(from: key, for: use, salt: salt), associatedData: header.encoded)
    }

    private static func sealingKey(from key: PasswordKey, for use: Use, salt: ArraySlice<UInt8>) -> SymmetricKey {
        KeyDerivation.derive(use.label, from: key.key, context: use.subject + salt)
    }
}
