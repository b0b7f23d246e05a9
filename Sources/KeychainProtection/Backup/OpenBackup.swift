// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A backup keybag, authenticated and unwrapped.
public struct OpenBackup: Sendable {
    /// How many items of which level are not in the backup, because they may not leave the device.
    public let leftOut: [Accessibility: Int]

    /// How many items are not in the backup because they did not open.
    public let damaged: Int

    private let generation: UInt32
    private let keys: StoreKeys

    init(_ contents: BackupContents, _ secret: BackupSecret) throws(ProtectionError) {
        leftOut = contents.leftOut
        damaged = contents.damaged
        generation = contents.generation
        let wrapping = try secret.wrapping()
        let purposes = BackupContents.purposes
        let generation = generation
        let unwrapped = try wrapping.unwrap(purposes.map { (($0, generation), contents.entries[$0] ?? []) })
        keys = try StoreKeys(Array(zip(purposes, unwrapped)))
    }

    /// The bytes of a keybag for the restored store, without a passcode: the backup's keys, and fresh ones for the levels
    /// that are for one device only.
    ///
    /// - Throws: ``ProtectionError/noMemory``, and what the root key throws.
    public func keybag(rootKey: any RootKey, random: any RandomSource) throws(ProtectionError) -> [UInt8] {
        let fresh = try StoreKeys(fresh: Keybag.purposes(hasPasscode: false).filter { keys[$0] == nil })
        var maker = try KeybagMaker(rootKey: rootKey, random: random)
        maker.generation = generation
        return try maker.make { (purpose) throws(ProtectionError) in
            if let key = keys[purpose] { return key }
            return try fresh.key(purpose)
        }
    }
}
