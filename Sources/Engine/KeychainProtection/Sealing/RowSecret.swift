// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Seals and opens the `secret` column of one row (Documentation/Format.md, "Secret").
struct RowSecret {
    private let part: RowPart
    private let floor: ScryptFloor

    /// The secret of a row under the keys of its store or backup.
    ///
    /// - Parameters:
    ///   - row: the row.
    ///   - keys: the keys of its store or backup.
    ///   - associatedData: the associated data of the row's metadata, if it was opened or sealed before.
    ///   - classKey: the key of the row's class, if already in use.
    /// - Throws: As ``RowKeys/key(_:)``.
    init(
        of row: StoredRow,
        keys: some RowKeys,
        associatedData: AssociatedData? = nil,
        under classKey: KeyDerivation? = nil
    ) throws(ProtectionError) {
        part = try RowPart(.secret, of: row, keys: keys, associatedData: associatedData, keyDerivation: classKey)
        floor = keys.floor
    }

    /// Seals a secret, first under the key of a password if there is one.
    func seal(
        _ secret: SecretBytes,
        passwordKey: PasswordKey?,
        nonce: AES.GCM.Nonce
    ) throws(ProtectionError) -> [UInt8] {
        guard let passwordKey else { return try seal(secret, nonce) }
        return try seal(PasswordLayer.seal(secret, passwordKey, for: use), nonce)
    }

    /// Seals the content for the row's key: the secret, or the ``PasswordLayer`` around it.
    func seal(_ bytes: SecretBytes, _ nonce: AES.GCM.Nonce? = nil) throws(ProtectionError) -> [UInt8] {
        try SecretPadding.pad(bytes).withUnsafeBytes { (padded) throws(ProtectionError) in
            try part.seal(padded, nonce)
        }
    }

    func open(needsPassword: Bool, _ passwordKey: PasswordKey?) throws(ProtectionError) -> SecretBytes {
        guard needsPassword else { return try opened() }
        let layer = try layer()
        guard let passwordKey, passwordKey.header == layer.header else { throw .passwordMissing }
        guard let secret = layer.open(passwordKey, for: use) else { throw .damagedRow(.secret) }
        return secret
    }

    /// The header of a secret that needs a password.
    func passwordHeader() throws(ProtectionError) -> PasswordHeader { try layer().header }

    /// The content that the row's key protects, after validation.
    func sealed(needsPassword: Bool) throws(ProtectionError) -> SecretBytes {
        let bytes = try opened()
        if needsPassword { _ = try layer(in: bytes) }
        return bytes
    }

    private func opened() throws(ProtectionError) -> SecretBytes {
        try part.open { (bytes) throws(ProtectionError) in
            // Format 2 had no padding.
            guard part.row.format == FileFormat.number else { return SecretBytes(copying: bytes) }
            guard let content = SecretPadding.content(of: bytes) else { throw .damagedRow(.padding) }
            return SecretBytes(copying: content)
        }
    }

    private func layer() throws(ProtectionError) -> PasswordLayer { try layer(in: opened()) }

    private func layer(in bytes: SecretBytes) throws(ProtectionError) -> PasswordLayer {
        guard let layer = PasswordLayer(bytes) else { throw .damagedRow(.secret) }
        guard layer.header.work.isAcceptable(floor) else { throw .damagedRow(.passwordWork) }
        return layer
    }

    /// The item that a password's key seals, but not its store, so that a backup can include it without the password.
    private var use: PasswordLayer.Use {
        PasswordLayer.Use("item password", Array(part.row.itemClass.rawValue.utf8) + part.row.identifier.bytes)
    }
}

/// The padding of a secret before sealing (Documentation/Format.md, "Padding"), which hides its exact length.
///
/// It is the byte 0x80 and then zeros (ISO/IEC 7816-4; NIST SP 800-38A, appendix A), up to the next length that has at
/// most five significant bits and is a multiple of 32.
enum SecretPadding {
    private static let mark: UInt8 = 0x80
    private static let minimumStep = 32

    /// The length of a secret with its padding.
    static func paddedByteCount(_ count: Int) -> Int {
        let minimum = count + 1
        let highestBit = Int.bitWidth - 1 - minimum.leadingZeroBitCount
        let step = max(minimumStep, 1 << (highestBit - 4))
        return (minimum + step - 1) / step * step
    }

    /// The secret and its padding.
    static func pad(_ secret: SecretBytes) -> SecretBytes {
        SecretBytes(count: paddedByteCount(secret.count)) { padded in
            secret.withUnsafeBytes { padded.copyMemory(from: $0) }
            padded[secret.count] = mark
        }
    }

    /// The secret without its padding; `nil` if the padding differs from that of ``pad(_:)``.
    static func content(of padded: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var end = padded.count - 1
        while end >= 0, padded[end] == 0 { end -= 1 }
        guard end >= 0, padded[end] == mark, paddedByteCount(end) == padded.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: padded[..<end])
    }
}
