// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainProtection

/// The keys of a store, derived from its files and its passcode alone, as an owner could who lost the program.
struct StoreKeysOnDisk {
    private let path: String
    private let keybag: OpenKeybag
    private let unlocked: UnlockedKeys

    /// The key of the passcode's slot, which gives all others.
    let slotKey: [UInt8]

    init(
        _ path: String,
        passcode: [UInt8],
        owner: StoreOwner = .embedded,
        floor: ScryptFloor = ScryptFloor(of: .testing)
    ) throws {
        self.path = path
        let file = try Data(contentsOf: URL(fileURLWithPath: "\(path)/root.key"))
        let rootKey = try file.withUnsafeBytes { bytes in
            try Result { () throws(ProtectionError) in try SoftwareRootKey(bytes) }.get()
        }
        let raw = try RawStore(path: "\(path)/keychain.db")
        keybag = try OpenKeybag(
            try #require(try raw.run("SELECT bytes FROM keybag")[0]),
            rootKey: rootKey,
            owner: owner,
            floor: floor
        )
        let slot = try #require(keybag.passcodeSlot)
        let key = try #require(try slot.open(SecretBytes(passcode), rootKey: rootKey))
        slotKey = key.key.withKey { $0.withUnsafeBytes { Array($0) } }
        unlocked = try keybag.unlock(with: key)
    }

    /// The class key and the metadata key of a level, by name.
    func classKeys(_ level: Accessibility) throws -> [String: [UInt8]] {
        [
            "class key of \(level.rawValue)": Self.bytes(try key(.classKey(level))),
            "metadata key of \(level.rawValue)": Self.bytes(try key(.metadataKey(level))),
        ]
    }

    /// The row keys that rows of some levels have now, by name.
    func rowKeys(_ levels: [Accessibility], _ moment: String) throws -> [String: [UInt8]] {
        let raw = try RawStore(path: "\(path)/keychain.db")
        var keys: [String: [UInt8]] = [:]
        for level in levels {
            let columns = try ["uuid", "version"].map { column in
                try raw.run("SELECT \(column) FROM items_genp WHERE protection = '\(level.rawValue)' ORDER BY id")
                    .compactMap { $0.flatMap { Bytes16($0) } }
            }
            for (index, (uuid, version)) in zip(columns[0], columns[1]).enumerated() {
                let row = StoredRow(
                    itemClass: .genericPassword,
                    identifier: uuid,
                    protection: level.rawValue,
                    isTombstone: false,
                    keyGeneration: keybag.keybag.generation(of: level) ?? 0,
                    version: version,
                    primaryKeyTag: .zero,
                    tags: []
                )
                let device = Sealer(keybag, unlocked)
                for part in [AssociatedData.Part.metadata, .secret] {
                    let bytes = try RowPart(part, of: row, keys: device).key.withUnsafeBytes { Array($0) }
                    keys["\(part) key \(index) of \(level.rawValue), \(moment)"] = bytes
                }
            }
        }
        return keys
    }

    private func key(_ purpose: Keybag.Entry.Purpose) throws -> LockedKey {
        try #require(keybag.keys[purpose] ?? unlocked.key(purpose, for: keybag.keybag))
    }

    private static func bytes(_ key: LockedKey) -> [UInt8] { key.withKey { $0.withUnsafeBytes { Array($0) } } }
}
