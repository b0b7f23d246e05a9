// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainControl

/// Files of passwords of other programs: the first byte chooses the format.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 0 else { return 0 }
    let bytes = SecretBytes(copying: UnsafeRawBufferPointer(start: start + 1, count: count - 1))
    let formats = ImportFormat.allCases
    let format = Int(start[0]) < formats.count ? formats[Int(start[0])] : nil
    if let (_, file) = try? ImportFormat.read(bytes, as: format) {
        for item in file.items { precondition(!item.place.isEmpty, "a password has a place") }
    }
    var file = ImportedPasswords()
    PassStore.add(bytes, "web/ada", to: &file)
    precondition(!file.items.isEmpty, "an entry of pass has a password")
    let limit = 1 << 16
    let plain = bytes.withUnsafeBytes { try? Inflate.bytes(of: $0, atMost: limit) }
    precondition(plain?.count ?? 0 <= limit, "nothing is longer than the limit")
    let text = String(decoding: bytes.unprotectedCopy, as: UTF8.self)
    if let table = try? CSVTable(text) {
        let again = try? CSVTable(CSVTable.text([table.header] + table.rows.map(\.fields)))
        precondition(again?.rows.map(\.fields) == table.rows.map(\.fields), "a table is read as it was written")
    }
    return 0
}
