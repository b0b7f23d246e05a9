// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// Keeps the root keys of stores: in a file next to the store, later in a TPM or as a systemd credential.
package protocol RootKeySource: Sendable {
    /// Which kind of root key it keeps; the keybag of a store records it.
    var kind: RootKeyKind { get }

    /// The root key of an existing store.
    ///
    /// - Throws: ``RootKeyError``; a missing key is never replaced, because nothing could open the store with another
    ///   one.
    func rootKey(for folder: PrivateDirectory) throws(RootKeyError) -> any RootKey

    /// The root key for a store that is being created: the existing one, or a new one.
    func rootKeyForNewStore(in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey

    /// The path of the file that contains the key of a store; `nil` if keys are not kept in files.
    func path(in folder: PrivateDirectory) -> String?
}

extension RootKeySource {
    /// `nil`: keys are in no file.
    package func path(in folder: PrivateDirectory) -> String? { nil }
}

/// The reason why there is no root key.
package enum RootKeyError: Error, Sendable {
    /// There is none, although a store needs it.
    case missing(path: String)
    /// It is not one.
    case damaged(path: String)
    /// It is found by settings, which lead nowhere, or somewhere else.
    case settings(RootKeySettingsFault, path: String)
    /// It cannot be read or written.
    case file(FileError)
    /// It cannot be held or used, or the keybag does not specify which one it is.
    case protection(ProtectionError)
}

/// The sources of root keys that a program can use.
package struct RootKeySources: Sendable {
    private let preferred: any RootKeySource
    private let others: [any RootKeySource]

    /// Sources of different kinds; the first keeps the root keys of new stores.
    package init(_ preferred: any RootKeySource = RootKeyFile(), _ others: any RootKeySource...) {
        self.preferred = preferred
        self.others = others
    }

    /// The root key of an existing store, from the source of the kind that its keybag records.
    ///
    /// The owner of the store is checked first: the root key of another owner may not even be readable.
    ///
    /// - Parameters:
    ///   - keybag: the bytes of the keybag, which are not authenticated before there is a root key.
    ///   - folder: the folder of the store.
    ///   - owner: the caller's kind of program.
    /// - Returns: The root key.
    /// - Throws: ``RootKeyError``, with ``ProtectionError/foreignOwner(_:)`` for the store of another owner and
    ///   ``ProtectionError/unsupportedRootKey(_:)`` for a kind that has no source here.
    package func rootKey(
        of keybag: [UInt8],
        in folder: PrivateDirectory,
        owner: StoreOwner = .embedded
    ) throws(RootKeyError) -> any RootKey {
        let origin: KeybagOrigin
        do throws(ProtectionError) {
            origin = try KeybagOrigin(keybag)
            try origin.check(owner)
        } catch {
            throw .protection(error)
        }
        guard let source = source(origin.rootKeyKind) else {
            throw .protection(.unsupportedRootKey(origin.rootKeyKind))
        }
        guard let staging = source as? any StagingRootKeySource else { return try source.rootKey(for: folder) }
        return try staging.rootKey(under: keybag, in: folder)
    }

    /// The source of a kind whose keys can be replaced; `nil` if there is none, or they cannot.
    package func replaceable(_ kind: RootKeyKind) -> (any ReplaceableRootKeySource)? {
        source(kind) as? any ReplaceableRootKeySource
    }

    /// The kinds of root keys that a store which has one of a kind can get, the preferred one first.
    package func replacements(of kind: RootKeyKind) -> [RootKeyKind] {
        all.filter { $0.kind != kind || $0 is any ReplaceableRootKeySource }.map(\.kind)
    }

    /// The path of the file that contains the key of a kind; `nil` if keys are not kept in files.
    package func path(of kind: RootKeyKind, in folder: PrivateDirectory) -> String? {
        source(kind)?.path(in: folder)
    }

    /// A root key for the next keybag of a store.
    ///
    /// - Parameters:
    ///   - kind: its kind, one of ``replacements(of:)``.
    ///   - folder: the folder of the store.
    /// - Returns: The key; it is stored, but not used yet.
    /// - Throws: ``RootKeyError``, with ``ProtectionError/unsupportedRootKey(_:)`` for a kind that has no source here.
    package func makeNext(_ kind: RootKeyKind, in folder: PrivateDirectory) throws(RootKeyError) -> NextRootKey {
        guard let source = source(kind) else { throw .protection(.unsupportedRootKey(kind)) }
        if let staging = source as? any StagingRootKeySource { return try staging.makeNext(in: folder) }
        return NextRootKey(name: "", key: try source.rootKeyForNewStore(in: folder))
    }

    /// Removes a key that the store did not get.
    package func remove(_ next: NextRootKey, in folder: PrivateDirectory) {
        (source(next.key.kind) as? any StagingRootKeySource)?.remove(next, in: folder)
    }

    /// Puts the key that matches the keybag in place, and removes the others.
    ///
    /// For the same holder as ``StagingRootKeySource/settle(_:in:)``.
    ///
    /// - Parameters:
    ///   - keybag: the bytes of the keybag.
    ///   - former: which kind of key the store had before; `nil` if that is not known. A key in place of another kind
    ///     is that of another store, and stays, and so do settings.
    ///   - folder: the folder of the store.
    /// - Throws: ``RootKeyError``, also if no readable key matches the keybag; all keys are kept in that case.
    package func settle(
        _ keybag: [UInt8],
        former: RootKeyKind?,
        in folder: PrivateDirectory
    ) throws(RootKeyError) {
        let parsed = try Keybag(parsing: keybag)
        let kind = parsed.rootKeyKind
        guard let source = source(kind) else { throw .protection(.unsupportedRootKey(kind)) }
        if let staging = source as? any StagingRootKeySource {
            try staging.settle(keybag, in: folder)
        } else {
            guard parsed.isUnder(try source.rootKey(for: folder)) else { throw .protection(.wrongRootKey) }
        }
        for case let other as any ReplaceableRootKeySource in all where other.kind != kind {
            other.removeKeys(wasInPlace: other.kind == former, in: folder)
        }
        if !kind.hasSettings {
            RootKeySettings.file.removeAll(wasInPlace: former?.hasSettings ?? false, in: folder)
        }
    }

    /// Removes every root key in a folder, with the settings of one: those of a store that is gone.
    package func removeAll(in folder: PrivateDirectory) {
        for case let source as any ReplaceableRootKeySource in all { source.removeKeys(wasInPlace: true, in: folder) }
        RootKeySettings.file.removeAll(wasInPlace: true, in: folder)
    }

    /// Whether a next key of a store is left in any source, or next settings.
    package func hasNext(in folder: PrivateDirectory) -> Bool {
        all.contains { ($0 as? any ReplaceableRootKeySource)?.hasNext(in: folder) ?? false }
            || !RootKeySettings.file.nextNames(in: folder).isEmpty
    }

    private func source(_ kind: RootKeyKind) -> (any RootKeySource)? {
        all.first { $0.kind == kind }
    }

    private var all: [any RootKeySource] { [preferred] + others }

    /// The root key for a store that is being made: from the source that the settings in the folder choose, or else
    /// from the preferred one.
    package func rootKeyForNewStore(in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
        guard let settings = try RootKeySettings.inPlace(in: folder) else {
            return try preferred.rootKeyForNewStore(in: folder)
        }
        guard let source = source(settings.kind) as? any ConfiguredRootKeySource else {
            throw .settings(.unserved(settings.kind), path: folder.path(of: RootKeySettings.fileName))
        }
        return try source.rootKeyForNewStore(in: folder)
    }

    /// The bytes of the keybag of a store that is being created: fresh keys, no passcode.
    package func newKeybag(
        in folder: PrivateDirectory,
        owner: StoreOwner = .embedded,
        random: any RandomSource
    ) throws(RootKeyError) -> [UInt8] {
        let rootKey = try rootKeyForNewStore(in: folder)
        do {
            return try OpenKeybag.make(rootKey: rootKey, owner: owner, random: random)
        } catch {
            throw .protection(error)
        }
    }
}

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
