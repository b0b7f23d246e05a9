// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What a keybag says before there is a root key to authenticate it with: whose it is, and which root key it takes.
///
/// Whoever alters it keeps the store from being opened, and gets nothing else: its code covers both.
struct KeybagOrigin: Sendable, Hashable {
    /// Whose the store is.
    let owner: StoreOwner

    /// What root key it has.
    let rootKeyKind: RootKeyKind

    /// Reads the bytes of a keybag.
    ///
    /// - Throws: ``ProtectionError/damagedKeybag(_:)``, ``ProtectionError/newerKeybag(version:)``.
    init(_ bytes: [UInt8]) throws(ProtectionError) { self.init(try KeybagCodec.parse(bytes).contents) }

    init(_ keybag: Keybag) {
        owner = keybag.owner
        rootKeyKind = keybag.rootKeyKind
    }

    /// Refuses the store of another owner.
    ///
    /// - Throws: ``ProtectionError/foreignOwner(_:)``.
    func check(_ owner: StoreOwner) throws(ProtectionError) {
        guard self.owner == owner else { throw .foreignOwner(self.owner) }
    }
}
