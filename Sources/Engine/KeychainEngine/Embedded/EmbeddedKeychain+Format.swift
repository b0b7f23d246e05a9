// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore

/// The revision of the store's format, and the features that it is due to (Documentation/Format.md, "Features").
extension EmbeddedKeychain {
    /// The versions of the store and of this program; nothing is created.
    func storeStatus() throws(KeychainError) -> StoreStatus {
        guard try hasAnyStore() else { return StoreStatus() }
        return try withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                StoreStatus(file: engine.store.version, features: try reader.usedFeatures())
            }
        }
    }

    /// Brings the store to an earlier revision of its format, in one transaction.
    func downgradeStore(to revision: UInt8) throws(KeychainError) -> StoreDowngrade {
        guard revision <= FileFormat.revision else {
            throw KeychainError(
                .parameter,
                "format \(FileFormat.text(of: FileFormat.baseVersion | UInt16(revision))) is later than that of this program, "
                    + FileFormat.text(of: FileFormat.version)
            )
        }
        guard try hasAnyStore() else { throw .noStore }
        return try withEngine(.changingStored) { (engine) throws(KeychainError) in
            try engine.downgradeStore(to: revision)
        }
    }

    private func hasAnyStore() throws(KeychainError) -> Bool { access.isInMemory ? true : try access.hasStore() }
}

extension Engine {
    fileprivate func downgradeStore(to revision: UInt8) throws(KeychainError) -> StoreDowngrade {
        let former = store.version
        let (removed, obstacles) = try write { (writer) throws(KeychainError) in
            try writer.retireFeatures(after: revision)
        }
        return StoreDowngrade(former: former, version: store.version, removed: removed, obstacles: obstacles)
    }
}
