// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import KeychainHost

/// Stores a root key of 32 bytes in a file of mode 0600 next to the store.
package struct RootKeyFile: RootKeySource {
    /// The file's name in the keychain's folder.
    package static let name = "root.key"

    /// The source of keys in files.
    package init() {}

    /// A key in this process's memory.
    package var kind: RootKeyKind { .software }

    /// The path of the file.
    package func path(in folder: PrivateDirectory) -> String? { folder.path(of: Self.name) }

    /// Reads the root key of an existing store.
    package func rootKey(for folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
        let path = folder.path(of: Self.name)
        guard try exists(in: folder) else { throw .missing(path: path) }
        let key: Result<SoftwareRootKey, RootKeyError>
        do throws(FileError) {
            key = try folder.withContents(of: Self.name, limit: SoftwareRootKey.byteCount + 1) { bytes in
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

    /// Reads the existing file, or creates one with a random key.
    package func rootKeyForNewStore(in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
        if try !exists(in: folder) {
            do throws(FileError) {
                try SymmetricKey.random().withBytes { bytes throws(FileError) in
                    try folder.makeFile(Self.name, bytes)
                }
            } catch {
                throw .file(error)
            }
        }
        return try rootKey(for: folder)
    }

    private func exists(in folder: PrivateDirectory) throws(RootKeyError) -> Bool {
        do { return try folder.hasFile(Self.name) } catch { throw .file(error) }
    }
}
