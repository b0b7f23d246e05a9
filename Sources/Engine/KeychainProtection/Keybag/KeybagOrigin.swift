// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The unauthenticated information of a keybag that is needed to find its root key: the owner, and the kind of root
/// key.
///
/// Modifying it only prevents the store from being opened: the keybag's code covers both.
struct KeybagOrigin: Sendable, Hashable {
    /// Whose the store is.
    let owner: StoreOwner

    /// The kind of root key.
    let rootKeyKind: RootKeyKind

    /// Parses the bytes of a keybag.
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
