// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import KeychainHost

/// The next root key of a store is next to the present one, in a file with a name of its own.
extension RootKeyFile: ReplaceableRootKeySource {
    private static let file = StagedFile(name: name)

    /// The root key that matches a keybag, or else the one that is in place.
    package func rootKey(under keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
        let keybag = try Keybag(parsing: keybag)
        var inPlace: Result<any RootKey, RootKeyError>
        var isSecondCheck = false
        repeat {
            inPlace = Result { () throws(RootKeyError) -> any RootKey in try rootKey(for: folder) }
            if case .success(let key) = inPlace, keybag.isUnder(key) { return key }
            if let next = next(of: keybag, in: folder) { return next.key }
            // Another process may have put it in place between the two checks.
            isSecondCheck.toggle()
        } while isSecondCheck
        return try inPlace.get()
    }

    /// The bytes of the root key that a keybag is under, to be moved with it.
    package func bytes(of keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) -> SecretBytes {
        let keybag = try Keybag(parsing: keybag)
        let name = next(of: keybag, in: folder)?.name ?? Self.name
        do throws(FileError) {
            return try folder.withContents(of: name, limit: SoftwareRootKey.byteCount) { SecretBytes(copying: $0) }
        } catch {
            throw .file(error)
        }
    }

    /// Writes a root key for the next keybag of the store.
    ///
    /// - Parameters:
    ///   - bytes: the key; `nil` for a random one.
    ///   - folder: the folder of the store.
    /// - Returns: The key.
    /// - Throws: ``RootKeyError``.
    package func makeNext(_ bytes: SecretBytes?, in folder: PrivateDirectory) throws(RootKeyError) -> NextRootKey {
        let bytes = bytes ?? SymmetricKey.random().withUnsafeBytes { SecretBytes(copying: $0) }
        let name = Self.file.nextName()
        let key: SoftwareRootKey
        do throws(ProtectionError) {
            key = try bytes.withUnsafeBytes { (bytes) throws(ProtectionError) in try SoftwareRootKey(bytes) }
        } catch {
            throw .protection(error)
        }
        do throws(FileError) {
            try bytes.withUnsafeBytes { (bytes) throws(FileError) in try folder.makeFile(name, bytes) }
        } catch {
            throw .file(error)
        }
        return NextRootKey(name: name, key: key)
    }

    /// Removes a key that the store did not get.
    package func remove(_ next: NextRootKey, in folder: PrivateDirectory) { folder.remove(next.name) }

    /// Whether another key lies beside the one in place, or a part of one.
    package func hasNext(in folder: PrivateDirectory) -> Bool { !Self.file.nextNames(in: folder).isEmpty }

    /// Puts the key that matches the keybag in place, and removes the others.
    ///
    /// The caller holds the lock for creating stores, and knows that no other keybag can take effect any more.
    ///
    /// - Throws: ``RootKeyError``, also if no readable key matches the keybag; all keys are kept in that case.
    package func settle(_ keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) {
        let keybag = try Keybag(parsing: keybag)
        let next = next(of: keybag, in: folder)
        if next == nil {
            // The one that it is under may be among those that could not be read.
            guard keybag.isUnder(try rootKey(for: folder)) else { throw .protection(.wrongRootKey) }
        }
        try Self.file.settle(next?.name, in: folder)
    }

    /// Removes the files of next keys, and the one in place if it was the store's.
    package func removeKeys(wasInPlace: Bool, in folder: PrivateDirectory) {
        Self.file.removeAll(wasInPlace: wasInPlace, in: folder)
    }

    /// The key next to the one in place that matches a keybag.
    ///
    /// An unreadable one is ignored: another process may have put it in place meanwhile.
    private func next(of keybag: Keybag, in folder: PrivateDirectory) -> NextRootKey? {
        for name in Self.file.nextNames(in: folder) {
            let limit = SoftwareRootKey.byteCount + 1
            let key = try? folder.withContents(of: name, limit: limit) { try? SoftwareRootKey($0) }
            if let key = key ?? nil, keybag.isUnder(key) { return NextRootKey(name: name, key: key) }
        }
        return nil
    }
}

extension AuthenticatedBytes<Keybag> {
    /// The shape of some bytes, not authenticated.
    init(parsing bytes: [UInt8]) throws(RootKeyError) {
        do throws(ProtectionError) { self = try KeybagCodec.parse(bytes) } catch { throw .protection(error) }
    }
}

extension Keybag {
    /// The keybag of some bytes, not authenticated.
    init(parsing bytes: [UInt8]) throws(RootKeyError) { self = try AuthenticatedBytes(parsing: bytes).contents }

    /// Whether its keys are wrapped by a root key.
    func isUnder(_ key: any RootKey) -> Bool {
        guard let wrapped = wrappedRootSlotKey else { return false }
        return (try? key.unwrap(wrapped, for: storeIdentifier)) != nil
    }
}
