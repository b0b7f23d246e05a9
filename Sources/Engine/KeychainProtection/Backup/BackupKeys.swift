// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The keys of a backup: created for it, and used for nothing else.
///
/// There is a class key and a metadata key for each accessibility that may leave the device, and an index key.
struct BackupKeys: RowKeys {
    /// The identifier of the backup, like a store identifier.
    let storeIdentifier: Bytes16

    let floor: ScryptFloor
    let keys: StoreKeys

    private let searchTagKey: SearchTagKey

    /// The generation that all keys of a backup have.
    static let generation: UInt32 = 1

    /// The accessibilities for which a backup has keys.
    static let purposes = Keybag.purposes(hasPasscode: false)
        .filter { !($0.accessibility?.isForThisDeviceOnly ?? false) }

    init(for storeIdentifier: Bytes16, keys: StoreKeys, floor: ScryptFloor) throws(ProtectionError) {
        self.storeIdentifier = storeIdentifier
        self.keys = keys
        self.floor = floor
        searchTagKey = try SearchTagKey(keys.key(.index), of: storeIdentifier)
    }

    var listsLookupAttributes: Bool { false }

    func searchTags() -> SearchTags { SearchTags(searchTagKey) }

    func currentGeneration(of accessibility: Accessibility) -> UInt32? {
        keys[.classKey(accessibility)] == nil ? nil : Self.generation
    }

    func key(_ purpose: Keybag.Entry.Purpose) throws(ProtectionError) -> LockedKey { try keys.key(purpose) }
}
