// SPDX-License-Identifier: Apache-2.0

import Crypto
import HostFiles

/// A root key of 32 bytes in a file of mode 0600 beside the store.
public enum RootKeyFile {
    /// The file's name in the keychain's folder.
    public static let name = "root.key"

    /// What can be wrong with the file.
    public enum Failure: Error, Sendable {
        /// There is none, although there is a store that needs it.
        case missing(path: String)
        /// It does not have 32 bytes.
        case damaged(path: String)
        /// It cannot be read or written.
        case file(FileError)
        /// The key cannot be held.
        case protection(ProtectionError)
    }

    /// Reads the root key of an existing store.
    ///
    /// - Throws: ``Failure``; a missing key is never replaced, because nothing could open the store with another one.
    public static func load(from folder: PrivateDirectory) throws(Failure) -> SoftwareRootKey {
        let path = folder.path(of: name)
        guard try exists(in: folder) else { throw .missing(path: path) }
        let key: Result<SoftwareRootKey, Failure>
        do throws(FileError) {
            key = try folder.withContents(of: name, limit: SoftwareRootKey.byteCount + 1) { bytes in
                guard bytes.count == SoftwareRootKey.byteCount else { return .failure(.damaged(path: path)) }
                do throws(ProtectionError) {
                    return .success(try SoftwareRootKey(bytes))
                } catch {
                    return .failure(.protection(error))
                }
            }
        } catch {
            throw .file(error)
        }
        return try key.get()
    }

    /// The root key for a store that is being made: the one that is there, or a new one.
    public static func loadOrCreate(in folder: PrivateDirectory) throws(Failure) -> SoftwareRootKey {
        if try !exists(in: folder) {
            do throws(FileError) {
                try SymmetricKey.random().withBytes { bytes throws(FileError) in
                    try folder.makeFile(name, bytes)
                }
            } catch {
                throw .file(error)
            }
        }
        return try load(from: folder)
    }

    private static func exists(in folder: PrivateDirectory) throws(Failure) -> Bool {
        do { return try folder.hasFile(name) } catch { throw .file(error) }
    }
}
