// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Seals and opens the `secret` column of one row (Documentation/Format.md, "Secret").
struct RowSecret {
    private let row: StoredRow
    private let classKey: LockedKey

    /// A row, and the class key of its protection class.
    init(_ row: StoredRow, _ classKey: LockedKey) {
        self.row = row
        self.classKey = classKey
    }

    func seal(_ secret: SecretBytes, _ passwordKey: PasswordKey?) throws(ProtectionError) -> [UInt8] {
        let rowKey = SymmetricKey.random()
        let header = passwordKey?.header
        let wrapped = try KeyWrap.wrap(rowKey, under: wrappingKey(header))
        let sealingKey = sealingKey(rowKey, passwordKey)
        let associatedData = associatedData(header)
        let sealed = try secret.withUnsafeBytes { plain throws(ProtectionError) in
            try GCM.seal(plain, under: sealingKey, associatedData: associatedData)
        }
        return (header?.encoded ?? []) + wrapped + sealed
    }

    func open(needsPassword: Bool, _ passwordKey: PasswordKey?) throws(ProtectionError) -> SecretBytes {
        let parts = try parts(needsPassword: needsPassword)
        guard parts.header == nil || parts.header == passwordKey?.header else { throw .passwordMissing }
        let sealingKey = sealingKey(parts.rowKey, needsPassword ? passwordKey : nil)
        let secret = GCM.open(
            parts.sealed,
            under: sealingKey,
            associatedData: associatedData(parts.header),
            SecretBytes.init(copying:)
        )
        guard let secret else { throw .damagedRow(.secret) }
        return secret
    }

    /// The header of a secret that needs a password, authentic.
    func passwordHeader() throws(ProtectionError) -> PasswordHeader? { try parts(needsPassword: true).header }

    private struct Parts {
        let header: PasswordHeader?
        let rowKey: SymmetricKey
        let sealed: ArraySlice<UInt8>
    }

    private func parts(needsPassword: Bool) throws(ProtectionError) -> Parts {
        do throws(ByteReader.Truncated) {
            var reader = ByteReader(row.secret[...])
            let header = needsPassword ? try PasswordHeader(&reader) : nil
            let wrapped = try reader.take(KeyWrap.wrappedByteCount)
            if header != nil || !needsPassword, let rowKey = KeyWrap.unwrap(wrapped, under: wrappingKey(header)) {
                return Parts(header: header, rowKey: rowKey, sealed: try reader.takeRest())
            }
        } catch {}
        throw .damagedRow(.secret)
    }

    /// What wraps the row key: the class key itself, or with a password one that HKDF derives from it and the header, so that
    /// an altered header is told from a wrong password.
    private func wrappingKey(_ header: PasswordHeader?) -> SymmetricKey {
        classKey.withKey { classKey in
            guard let header else { return classKey }
            return KeyDerivation.derive("row wrapping with password", from: classKey, context: header.encoded)
        }
    }

    /// What seals the secret: the row key itself, or with a password one that HKDF derives from it with the password's key
    /// as salt.
    private func sealingKey(_ rowKey: SymmetricKey, _ passwordKey: PasswordKey?) -> SymmetricKey {
        guard let passwordKey else { return rowKey }
        return KeyDerivation.derive("secret sealing with password", from: rowKey, and: passwordKey.key)
    }

    private func associatedData(_ header: PasswordHeader?) -> [UInt8] {
        var associatedData = AssociatedData(row)
        return associatedData.labelled(.secret, header)
    }
}
