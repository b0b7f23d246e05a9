// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// A source that keeps the next root key of a store beside the present one until the keybag under it is stored.
///
/// A store gets another root key together with another keybag. The next key, or the settings by which it is found, is
/// kept beside the present one before the transaction that replaces the keybag. Trying them shows which one the keybag
/// is under: a program that only opens the store uses that one, and leaves both unchanged. The holder of the lock for
/// creating stores puts it in place, and removes the others.
package protocol StagingRootKeySource: RootKeySource {
    /// The root key that a keybag is under.
    ///
    /// - Throws: ``RootKeyError``. A source may also give the root key that is in place, which opens no other keybag.
    func rootKey(under keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey

    /// Keeps a root key for the next keybag of the store, one that it has not had.
    func makeNext(in folder: PrivateDirectory) throws(RootKeyError) -> NextRootKey

    /// Removes what was kept for a key that the store did not get.
    func remove(_ next: NextRootKey, in folder: PrivateDirectory)

    /// Puts the key in place that the keybag is under, and removes the others.
    ///
    /// The caller holds the lock for creating stores, and knows that no other keybag can take effect any more.
    ///
    /// - Throws: ``RootKeyError``, also if no readable key matches the keybag; all keys are kept in that case.
    func settle(_ keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError)
}

/// A source whose root keys can be replaced by others of their kind, and be moved with their keychain: what a chip that
/// keeps its keys cannot do.
package protocol ReplaceableRootKeySource: StagingRootKeySource {
    /// The bytes of the root key that a keybag is under, to be moved with it.
    func bytes(of keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) -> SecretBytes

    /// Stores a root key for the next keybag of the store.
    ///
    /// - Parameters:
    ///   - bytes: the key; `nil` for a random one.
    ///   - folder: the folder of the store.
    /// - Returns: The key.
    /// - Throws: ``RootKeyError``.
    func makeNext(_ bytes: SecretBytes?, in folder: PrivateDirectory) throws(RootKeyError) -> NextRootKey

    /// Whether another key lies beside the one in place, or a part of one.
    func hasNext(in folder: PrivateDirectory) -> Bool

    /// Removes the keys of a store that is under a key of another source.
    ///
    /// For the same holder as ``StagingRootKeySource/settle(_:in:)``.
    ///
    /// - Parameters:
    ///   - wasInPlace: whether the one in place was the store's before, and is removed as well.
    ///   - folder: the folder of the store.
    func removeKeys(wasInPlace: Bool, in folder: PrivateDirectory)
}

extension ReplaceableRootKeySource {
    /// Keeps a random root key for the next keybag of the store.
    package func makeNext(in folder: PrivateDirectory) throws(RootKeyError) -> NextRootKey {
        try makeNext(nil, in: folder)
    }
}

/// A root key for the next keybag of a store, beside the present one.
package struct NextRootKey: Sendable {
    /// The identifier by which its source finds it; empty for one that the source has for every store.
    package let name: String
    /// The key.
    package let key: any RootKey

    /// A key that its source finds by a name.
    package init(name: String, key: any RootKey) {
        self.name = name
        self.key = key
    }
}

/// A root key that can show that its holder has it.
package protocol ProvableRootKey: RootKey {
    /// The proof that its sender has this root key and the store's current passcode slot, without revealing either: 32
    /// bytes.
    func receipt(for storeIdentifier: Bytes16, _ slot: PasscodeSlot?) throws(ProtectionError) -> SecretBytes
}
