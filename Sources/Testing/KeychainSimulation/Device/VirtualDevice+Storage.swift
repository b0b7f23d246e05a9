// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainStore

extension VirtualDevice {
    /// The condition of the device's storage.
    public var storageCondition: StorageCondition { condition.withLock(\.condition) }

    /// Fills, write-protects or damages the storage of the device, or makes it healthy again.
    ///
    /// It replaces the previous condition; stored items are accessible again when the storage is healthy.
    ///
    /// - Throws: ``VirtualDeviceError`` for an item that does not exist, for a condition of files if the keychain is in
    ///   memory, and if the files cannot be changed.
    public func setStorageCondition(_ new: StorageCondition) throws(VirtualDeviceError) {
        let outcome: Result<Void, KeychainError> = condition.withLock { inForce in
            Result { () throws(KeychainError) in
                try end(inForce)
                inForce = ConditionInForce()
                inForce.damaged = try begin(new)
                inForce.condition = new
            }
        }
        do throws(KeychainError) { try outcome.get() } catch { throw VirtualDeviceError(error) }
    }

    private func begin(_ condition: StorageCondition) throws(KeychainError) -> [DamagedBytes] {
        switch condition {
        case .healthy: break
        case .full: keychain.setStoreCondition(.full)
        case .readOnly: keychain.setStoreCondition(.readOnly)
        case .itemDamaged(let reference): return try keychain.damage(SecretBytes(Array(reference)))
        case .everyItemDamaged: return try keychain.damage(nil)
        case .unreadable, .rootKeyMissing, .rootKeyDamaged:
            guard let files else {
                throw .parameter("a keychain in memory has no files that could be damaged")
            }
            try keychain.whileClosed { () throws(KeychainError) in
                do throws(KeychainError) { try files.begin(condition) } catch {
                    try? files.end()
                    throw error
                }
            }
        }
        return []
    }

    private func end(_ inForce: ConditionInForce) throws(KeychainError) {
        switch inForce.condition {
        case .healthy: break
        case .full, .readOnly: keychain.setStoreCondition(.healthy)
        case .itemDamaged, .everyItemDamaged: try keychain.repair(inForce.damaged)
        case .unreadable, .rootKeyMissing, .rootKeyDamaged:
            guard let files else { return }
            try keychain.whileClosed { () throws(KeychainError) in try files.end() }
        }
    }

    private var files: StorageFiles? { folder.map { StorageFiles(folder: Self.location($0).path) } }
}
