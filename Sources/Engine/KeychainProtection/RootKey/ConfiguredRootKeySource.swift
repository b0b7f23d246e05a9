// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import KeychainHost

/// A source that finds its root keys by settings beside the store: which chip it is, and which of its keys.
///
/// Those that are there choose for a store that is being made, as a root key in a file does that is there. Afterwards
/// the code of the keybag covers them: a store whose settings are missing, or are others, is refused, and nothing is
/// made in their place.
package protocol ConfiguredRootKeySource: StagingRootKeySource {
    /// The parameters for a store that gets a root key of this source: by them the key is found.
    ///
    /// - Throws: ``RootKeySettingsFault/unreachable(_:)`` where there can be no key now.
    func newParameters() throws(RootKeySettingsFault) -> [RootKeySettings.Parameter]

    /// The root key that settings of this source's kind lead to; nothing is made.
    ///
    /// - Throws: ``RootKeySettingsFault/damaged(_:)`` for parameters that the source does not give,
    ///   ``RootKeySettingsFault/unreachable(_:)`` for a key that cannot be used now.
    func rootKey(by settings: RootKeySettings) throws(RootKeySettingsFault) -> any RootKey
}

extension ConfiguredRootKeySource {
    private var file: StagedFile { RootKeySettings.file }

    /// The root key that the settings in place lead to.
    package func rootKey(for folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
        try rootKey(byFile: RootKeySettings.fileName, in: folder)
    }

    /// The root key that the settings lead to which are there, or that new ones do.
    package func rootKeyForNewStore(in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
        if try RootKeySettings.inPlace(in: folder) == nil { try writeSettings(RootKeySettings.fileName, in: folder) }
        return try rootKey(for: folder)
    }

    /// The root key that the settings lead to which the keybag has been made with.
    package func rootKey(under keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
        try find(keybag, in: folder).key
    }

    /// Writes settings for the next keybag of the store.
    package func makeNext(in folder: PrivateDirectory) throws(RootKeyError) -> NextRootKey {
        let name = file.nextName()
        try writeSettings(name, in: folder)
        do throws(RootKeyError) {
            return NextRootKey(name: name, key: try rootKey(byFile: name, in: folder))
        } catch {
            folder.remove(name)
            throw error
        }
    }

    /// Removes settings that the store did not get.
    package func remove(_ next: NextRootKey, in folder: PrivateDirectory) { folder.remove(next.name) }

    /// Puts the settings in place with which the keybag was made, and removes the others.
    package func settle(_ keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) {
        let name = try find(keybag, in: folder).name
        try file.settle(name == RootKeySettings.fileName ? nil : name, in: folder)
    }

    /// The settings with which a keybag was made, in place or beside that, and the root key that they lead to.
    ///
    /// - Throws: ``RootKeyError``: for none, what is wrong with those in place.
    private func find(_ keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) -> NextRootKey {
        let keybag = try AuthenticatedBytes<Keybag>(parsing: keybag)
        var failure: RootKeyError?
        for _ in 0..<2 {
            // Another process may have put it in place between the two looks.
            failure = nil
            for name in [RootKeySettings.fileName] + file.nextNames(in: folder) {
                do throws(RootKeyError) {
                    let key = try rootKey(byFile: name, in: folder)
                    if (try? keybag.rootSlot(under: key)) != nil { return NextRootKey(name: name, key: key) }
                } catch {
                    if name == RootKeySettings.fileName { failure = error }
                }
            }
        }
        throw failure ?? .settings(.foreign, path: folder.path(of: RootKeySettings.fileName))
    }

    private func rootKey(byFile name: String, in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
        guard let settings = try RootKeySettings(name, in: folder) else {
            throw .settings(.missing, path: folder.path(of: name))
        }
        guard settings.kind == kind else { throw .settings(.foreign, path: folder.path(of: name)) }
        do throws(RootKeySettingsFault) {
            return ConfiguredRootKey(key: try rootKey(by: settings), settings: settings)
        } catch {
            throw .settings(error, path: folder.path(of: name))
        }
    }

    private func writeSettings(_ name: String, in folder: PrivateDirectory) throws(RootKeyError) {
        let settings: RootKeySettings
        do throws(RootKeySettingsFault) { settings = try RootKeySettings(kind, try newParameters()) } catch {
            throw .settings(error, path: folder.path(of: name))
        }
        do throws(FileError) {
            try settings.bytes.withUnsafeBufferPointer { (bytes) throws(FileError) in
                try folder.makeFile(name, UnsafeRawBufferPointer(bytes))
            }
        } catch {
            throw .file(error)
        }
    }
}

/// A root key, and the settings that led to it.
private struct ConfiguredRootKey: RootKey {
    private let key: any RootKey
    let settingsDigest: SHA256Digest?

    init(key: any RootKey, settings: RootKeySettings) {
        self.key = key
        settingsDigest = settings.digest
    }

    var kind: RootKeyKind { key.kind }

    func wrap(_ key: SymmetricKey, for storeIdentifier: Bytes16) throws(ProtectionError) -> [UInt8] {
        try self.key.wrap(key, for: storeIdentifier)
    }

    func unwrap(_ wrapped: [UInt8], for storeIdentifier: Bytes16) throws(ProtectionError) -> SymmetricKey {
        try key.unwrap(wrapped, for: storeIdentifier)
    }

    func entangle(_ input: SecretBytes, for storeIdentifier: Bytes16) throws(ProtectionError) -> SymmetricKey {
        try key.entangle(input, for: storeIdentifier)
    }
}

extension RootKeySettings {
    /// The name of the file in place.
    package static let fileName = "root-key.settings"

    static let file = StagedFile(name: fileName)

    /// The settings in place; `nil` if there are none.
    ///
    /// - Throws: ``RootKeyError``, for what is there and is none, or not this user's alone.
    static func inPlace(in folder: PrivateDirectory) throws(RootKeyError) -> RootKeySettings? {
        try RootKeySettings(fileName, in: folder)
    }

    fileprivate init?(_ name: String, in folder: PrivateDirectory) throws(RootKeyError) {
        let bytes: [UInt8]
        do throws(FileError) {
            guard try folder.hasFile(name) else { return nil }
            bytes = try folder.withContents(of: name, limit: Self.byteLimit + 1) { Array($0) }
        } catch {
            throw .file(error)
        }
        do throws(RootKeySettingsFault) { try self.init(bytes) } catch {
            throw .settings(error, path: folder.path(of: name))
        }
    }
}
