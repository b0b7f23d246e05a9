// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Identifies the device of a store at one time: another device, passcode or owner has another mark.
package struct StoreMark: Sendable, Hashable {
    fileprivate let storeIdentifier: Bytes16
    fileprivate let keybagRevision: Int64
}

extension EmbeddedKeychain {
    /// The mark of the store, which is created if there is none.
    package func storeMark() throws(KeychainError) -> StoreMark {
        try withEngine { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                StoreMark(
                    storeIdentifier: engine.device.keybag.storeIdentifier,
                    keybagRevision: try reader.deviceRecord().keybagRevision
                )
            }
        }
    }
}

extension StoreMark {
    /// Whether the store has it, in the transaction under way.
    func isOf(_ engine: Engine, _ reader: RowReader) throws(KeychainError) -> Bool {
        let revision = try reader.deviceRecord().keybagRevision
        return storeIdentifier == engine.device.keybag.storeIdentifier && keybagRevision == revision
    }

    /// Whether it is one of the store of this identifier.
    func isOf(_ identifier: Bytes16) -> Bool { storeIdentifier == identifier }
}
