// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import HostFiles
import KeychainCore

/// How a store gets another root key together with another keybag.
///
/// The next key lies beside the present one before the transaction that replaces the keybag, and takes its place
/// afterwards; in between, the keybag tells which of the two it is under.
extension RootKeyFile {
    /// The name of the file of the next root key.
    static let nextName = "root.key.next"

    /// The bytes of the root key of an existing store, to be moved with it.
    package func bytes(in folder: PrivateDirectory) throws(RootKeyError) -> SecretBytes {
        do throws(FileError) {
            return try folder.withContents(of: Self.name, limit: SoftwareRootKey.byteCount) { SecretBytes(copying: $0) }
        } catch {
            throw .file(error)
        }
    }

    /// Writes the key that the store is to have with its next keybag.
    package func prepare(_ key: SecretBytes, in folder: PrivateDirectory) throws(RootKeyError) -> SoftwareRootKey {
        do throws(FileError) {
            try key.withUnsafeBytes { (bytes) throws(FileError) in try folder.makeFile(Self.nextName, bytes) }
        } catch {
            throw .file(error)
        }
        do throws(ProtectionError) {
            return try key.withUnsafeBytes { (bytes) throws(ProtectionError) in try SoftwareRootKey(bytes) }
        } catch {
            throw .protection(error)
        }
    }

    /// Writes a random key as the next one.
    package func prepareFresh(in folder: PrivateDirectory) throws(RootKeyError) -> SoftwareRootKey {
        let bytes = SymmetricKey.random().withUnsafeBytes { SecretBytes(copying: $0) }
        return try prepare(bytes, in: folder)
    }

    /// Removes a key that the store did not get.
    package func discardNext(in folder: PrivateDirectory) { folder.remove(Self.nextName) }

    /// Puts the next root key in place if the keybag is under it.
    package func settle(_ keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) {
        let isUnderIt: Bool
        do throws(FileError) {
            guard try folder.hasFile(Self.nextName) else { return }
            isUnderIt = try folder.withContents(of: Self.nextName, limit: SoftwareRootKey.byteCount) { bytes in
                Self.opens(keybag, bytes)
            }
        } catch {
            throw .file(error)
        }
        guard isUnderIt else { return }
        do throws(FileError) { try folder.publish(Self.nextName, as: Self.name) } catch {
            // Another process has done it meanwhile.
            guard case .system(_, _, errno: ENOENT) = error else { throw .file(error) }
        }
    }

    private static func opens(_ keybag: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let key = try? SoftwareRootKey(bytes), let parsed = try? KeybagCodec.parse(keybag).contents,
            let wrapped = parsed.wrappedRootSlotKey
        else { return false }
        return (try? key.unwrap(wrapped, for: parsed.storeIdentifier)) != nil
    }
}
