// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainStore

/// The database of a keychain file that somebody else wrote, as far as it is read without a key: every row of it is
/// read, or the whole is refused.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    guard let store = try? Store(image: edited(sample, input)) else { return 0 }
    _ = try? store.keybag()
    try? store.read { (reader) throws(KeychainError) in
        _ = try reader.deviceRecord()
        for itemClass in ItemClass.stored {
            var every = RowFilter(itemClass)
            every.includesTombstones = true
            _ = try reader.everyRow(every)
        }
    }
    return 0
}

/// A store with a row of each class.
private let sample: [UInt8] = {
    do {
        let store = try Store(inMemoryWithKeybag: [UInt8](repeating: 1, count: 300))
        try store.write { (writer) throws(KeychainError) in
            for itemClass in ItemClass.stored {
                let row = StoredRow(
                    itemClass: itemClass,
                    identifier: .zero,
                    protection: "ak",
                    isTombstone: false,
                    keyGeneration: 1,
                    version: .zero,
                    primaryKeyTag: .zero,
                    tags: [AttributeTag(name: .accessGroup, tag: .zero)],
                    metadata: [UInt8](repeating: 2, count: 100),
                    secret: [UInt8](repeating: 3, count: 60)
                )
                _ = try writer.insert(row)
            }
        }
        return try store.image()
    } catch {
        preconditionFailure("no store in memory: \(error)")
    }
}()
