// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The least cryptography for a row of two sealed parts: the metadata under one key, the secret under a fresh one that
/// another key wraps.
struct Sealer {
    private let metadataKey = SymmetricKey(size: .bits256)
    private let classKey = SymmetricKey(size: .bits256)

    /// Nonce and tag.
    static let overhead = 12 + 16
    /// RFC 3394.
    static let wrappedKeyLength = 40

    func seal(_ row: PlainRow, associatedData: [UInt8]) -> PlainRow? {
        let rowKey = SymmetricKey(size: .bits256)
        guard
            let metadata = try? AES.GCM.seal(row.metadata, using: metadataKey, authenticating: associatedData).combined,
            let wrapped = try? AES.KeyWrap.wrap(rowKey, using: classKey),
            let secret = try? AES.GCM.seal(row.secret, using: rowKey, authenticating: associatedData).combined
        else { return nil }
        return PlainRow(metadata: Array(metadata), secret: Array(wrapped) + Array(secret))
    }

    func open(
        metadata: UnsafeRawBufferPointer,
        secret: UnsafeRawBufferPointer,
        associatedData: [UInt8]
    ) throws -> PlainRow {
        let wrapped = UnsafeRawBufferPointer(rebasing: secret.prefix(Self.wrappedKeyLength))
        let sealed = UnsafeRawBufferPointer(rebasing: secret.dropFirst(Self.wrappedKeyLength))
        let rowKey = try AES.KeyWrap.unwrap(wrapped, using: classKey)
        return PlainRow(
            metadata: Array(try open(metadata, metadataKey, associatedData)),
            secret: Array(try open(sealed, rowKey, associatedData))
        )
    }

    private func open(_ bytes: UnsafeRawBufferPointer, _ key: SymmetricKey, _ associatedData: [UInt8]) throws -> Data {
        try AES.GCM.open(AES.GCM.SealedBox(combined: bytes), using: key, authenticating: associatedData)
    }
}
