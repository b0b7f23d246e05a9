// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import Testing

@testable import KeychainProtection

/// What the key of a part of a row depends on.
struct RowKeyTests {
    private let keys: BackupKeys
    private let row: StoredRow

    init() throws {
        // One key for all purposes, so that nothing but labels and context tells keys apart.
        let key = SymmetricKey(data: [UInt8](repeating: 7, count: 32))
        keys = try BackupKeys(
            for: .counting(from: 1),
            keys: StoreKeys(BackupKeys.purposes.map { ($0, key) }),
            floor: .standard
        )
        row = StoredRow(
            itemClass: .genericPassword,
            identifier: .counting(from: 2),
            protection: "ak",
            isTombstone: false,
            keyGeneration: 1,
            version: .counting(from: 3),
            primaryKeyTag: .zero,
            tags: []
        )
    }

    @Test("rows of other identifiers, versions, classes and stores have other keys, and so have the parts of one")
    func identifier() throws {
        var rows = [row, row, row, row]
        rows[1].identifier = .counting(from: 4)
        rows[2].version = .counting(from: 4)
        rows[3].itemClass = .internetPassword
        var seen: Set<String> = []
        for row in rows {
            for part in [AssociatedData.Part.metadata, .secret] {
                seen.insert(try RowPart(part, of: row, keys: keys).key.hexadecimal)
            }
        }
        #expect(seen.count == 8)
        let twin = try BackupKeys(for: .counting(from: 5), keys: keys.keys, floor: .standard)
        #expect(seen.insert(try RowPart(.secret, of: row, keys: twin).key.hexadecimal).inserted)
    }
}
