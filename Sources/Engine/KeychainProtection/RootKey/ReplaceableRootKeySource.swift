// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// A source whose root keys can be replaced, and be moved with their keychain.
///
/// A chip that keeps its keys cannot support that.
///
/// The root key of a store is replaced together with its keybag. The next key is stored next to the present one before
/// the transaction that replaces the keybag. The key of the keybag is determined by trying: a program that only opens
/// the store uses that one, and leaves both as they are. The holder of the lock for creating stores puts it in place,
/// and removes the others.
package protocol ReplaceableRootKeySource: RootKeySource {
    /// The root key that matches a keybag, or else the one that is in place.
    func rootKey(under keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey

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

    /// Removes a key that the store did not get.
    func remove(_ next: NextRootKey, in folder: PrivateDirectory)

    /// Whether another key, or a part of one, is next to the one in place.
    func hasNext(in folder: PrivateDirectory) -> Bool

    /// Puts the key that matches the keybag in place, and removes the others.
    ///
    /// The caller holds the lock for creating stores, and knows that no other keybag can take effect any more.
    ///
    /// - Throws: ``RootKeyError``, also if no readable key matches the keybag; all keys are kept in that case.
    func settle(_ keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError)

    /// Removes the keys of a store whose key is kept by another source.
    ///
    /// The requirements are those of ``settle(_:in:)``.
    ///
    /// - Parameters:
    ///   - wasInPlace: whether the one in place was the store's before, and is removed as well.
    ///   - folder: the folder of the store.
    func removeKeys(wasInPlace: Bool, in folder: PrivateDirectory)
}

/// A root key for the next keybag of a store, next to the present one.
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
