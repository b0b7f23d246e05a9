// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A rollback journal that SQLite takes for that of a transaction which a crash cut short (sqlite.org/fileformat.html,
/// "The Rollback Journal"): to play it back is to cut the database to its first page, and to delete a file.
struct HotJournal {
    /// The file that the journal names as its super-journal.
    let superJournal: String

    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    private static let sectorSize = 512
    private static let pageSize = 4096

    var bytes: Data {
        var bytes = Self.magic
        for field in [0, 1, 1, Self.sectorSize, Self.pageSize] { bytes += Self.bigEndian(field) }
        bytes += Array(repeating: 0, count: Self.sectorSize - bytes.count)
        let name = Array(superJournal.utf8)
        // The page of the lock bytes, which is in no journal.
        bytes += Self.bigEndian(0x4000_0000 / Self.pageSize + 1) + name + Self.bigEndian(name.count)
        bytes += Self.bigEndian(name.reduce(0) { $0 + Int($1) }) + Self.magic
        return Data(bytes)
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(number).bigEndian, Array.init)
    }
}
