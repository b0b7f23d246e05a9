// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The code over all rows of a backup, in their order: HMAC-SHA-256 (Documentation/Format.md, "Code of the rows").
struct BackupRowCode {
    private let identifier: Bytes16
    private var code: KeyedHash
    private var count: UInt64 = 0

    init(_ key: SymmetricKey, of identifier: Bytes16) {
        self.identifier = identifier
        code = KeyedHash(key)
    }

    /// Takes in the next row.
    mutating func add(_ row: StoredRow, number: Int64) {
        var bytes = AssociatedData(row, of: identifier).encoded(.row)
        bytes.append(row.isTombstone ? 1 : 0)
        bytes.append(littleEndian: number)
        for part in [row.metadata, row.secret] {
            bytes.append(littleEndian: UInt32(truncatingIfNeeded: part.count))
            bytes += part
        }
        code.update(bytes)
        count += 1
    }

    /// The code over the rows and how many they are.
    func finish() -> [UInt8] {
        var code = code
        var bytes: [UInt8] = []
        bytes.append(littleEndian: count)
        code.update(bytes)
        return Array(code.finalize())
    }
}
