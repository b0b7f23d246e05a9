// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The least cryptography that format 3 asks for: two sealed parts, each under a key of that version of the row, which
/// one HMAC derives, with as much associated data as the format has.
struct Sealer {
    private let metadataKey = SymmetricKey(size: .bits256)
    private let classKey = SymmetricKey(size: .bits256)

    /// Nonce and tag.
    static let overhead = 12 + 16

    func seal(_ row: PlainRow, associatedData: [UInt8]) -> PlainRow? {
        guard
            let metadata = try? AES.GCM.seal(
                row.metadata,
                using: key(metadataKey, associatedData),
                authenticating: associatedData
            ).combined,
            let secret = try? AES.GCM.seal(
                row.secret,
                using: key(classKey, associatedData),
                authenticating: associatedData
            ).combined
        else { return nil }
        return PlainRow(metadata: Array(metadata), secret: Array(secret))
    }

    func open(
        metadata: UnsafeRawBufferPointer,
        secret: UnsafeRawBufferPointer,
        associatedData: [UInt8]
    ) throws -> PlainRow {
        PlainRow(
            metadata: Array(try open(metadata, with: key(metadataKey, associatedData), authenticating: associatedData)),
            secret: Array(try open(secret, with: key(classKey, associatedData), authenticating: associatedData))
        )
    }

    private func open(
        _ bytes: UnsafeRawBufferPointer,
        with key: SymmetricKey,
        authenticating associatedData: [UInt8]
    ) throws -> Data {
        try AES.GCM.open(AES.GCM.SealedBox(combined: bytes), using: key, authenticating: associatedData)
    }

    /// The key of a version of a row, with whose identifier and version the associated data begins here.
    private func key(_ key: SymmetricKey, _ associatedData: [UInt8]) -> SymmetricKey {
        let information = associatedData.prefix(Self.derivationByteCount)
        return SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: information, using: key))
    }

    /// What is hashed for a key: the label, the store, the class, the identifier, the version, the counter.
    private static let derivationByteCount = 83
}
