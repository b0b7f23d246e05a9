// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainProtection

/// Passes an unlock to a child process in two halves.
///
/// Each half is worthless alone: a key in sealed memory that the child inherits, and the slot key, wrapped under it, in
/// a file next to the store, which every lock removes.
///
/// An unlock is valid only for the store, the lock mark and the boot for which it was offered.
enum Handover {
    /// The environment variable that names the descriptor of the memory.
    static let environmentVariable = "SWIFT_KEYCHAIN_UNLOCK_FD"

    private static let prefix = "handover."

    /// Offers an unlock to the children that inherit a descriptor.
    ///
    /// - Parameters:
    ///   - slotKey: the key that the passcode unlocked.
    ///   - store: the identifier of the store.
    ///   - mark: the current lock mark.
    ///   - boot: the identifier of the current boot of the host.
    ///   - folder: the folder of the keychain.
    /// - Returns: The descriptor, close-on-exec, for ``withdraw(_:in:)``.
    /// - Throws: ``KeychainError`` if the memory for one half or the file for the other cannot be created.
    static func offer(
        _ slotKey: SlotKey,
        store: Bytes16,
        mark: Bytes16,
        boot: String,
        in folder: PrivateDirectory
    ) throws(KeychainError) -> Int32 {
        removeStale(mark: mark, boot: boot, in: folder)
        let identifier = SystemRandomSource().bytes16()
        let handover: SlotKey.Handover
        do { handover = try slotKey.makeHandover(store: store) } catch { throw KeychainError(error) }
        let memory = try SealedMemory.make(InheritedHalf(identifier: identifier, key: handover.key).bytes)
        let file = HandoverFile(handover, identifier: identifier, store: store, mark: mark, boot: boot)
        do throws(FileError) {
            try SecretBytes(file.bytes).withUnsafeBytes { bytes throws(FileError) in
                try folder.makeFile(name(identifier), bytes)
            }
        } catch {
            close(memory)
            throw KeychainError(error)
        }
        return memory
    }

    /// Accepts the unlock that this process inherited, if there is one that is still valid.
    ///
    /// It may be called repeatedly; other processes may accept the same unlock.
    ///
    /// - Parameters:
    ///   - environment: the value of an environment variable.
    ///   - store: the identifier of the store.
    ///   - mark: the current lock mark.
    ///   - boot: the identifier of the current boot of the host.
    ///   - folder: the folder of the keychain.
    /// - Returns: The slot key; `nil` for any failure.
    static func receive(
        _ environment: (String) -> String? = ProcessEnvironment.value,
        store: Bytes16,
        mark: Bytes16,
        boot: String,
        in folder: PrivateDirectory
    ) -> SlotKey? {
        guard let descriptor = descriptor(environment), let half = InheritedHalf(descriptor: descriptor) else {
            return nil
        }
        guard let file = file(half.identifier, in: folder) else { return nil }
        guard file.fits(mark: mark, boot: boot) else {
            // It can never be good again, so nothing that this process starts needs it.
            SealedMemory.closeOnExec(descriptor)
            return nil
        }
        return file.slotKey(half.key, identifier: half.identifier, store: store)
    }

    /// Ends one offer: removes its file and closes its descriptor.
    static func withdraw(_ descriptor: Int32, in folder: PrivateDirectory) {
        // Otherwise the program has closed it, and its number may be another file's.
        guard let half = InheritedHalf(descriptor: descriptor) else { return }
        folder.remove(name(half.identifier))
        close(descriptor)
    }

    /// Ends every offer, for a lock and for any change of the passcode.
    static func withdrawAll(in folder: PrivateDirectory) {
        for name in folder.names(beginningWith: prefix) where isOurs(name) { folder.remove(name) }
    }

    /// Removes the files of processes that were killed, or that a crash of the host ended.
    private static func removeStale(mark: Bytes16, boot: String, in folder: PrivateDirectory) {
        for name in folder.names(beginningWith: prefix) {
            guard let identifier = identifier(name) else { continue }
            if file(identifier, in: folder)?.fits(mark: mark, boot: boot) != true { folder.remove(name) }
        }
    }

    private static func file(_ identifier: Bytes16, in folder: PrivateDirectory) -> HandoverFile? {
        let bytes = try? folder.withContents(of: name(identifier), limit: HandoverFile.largestByteCount) { Array($0) }
        return bytes.flatMap { HandoverFile($0) }
    }

    private static func descriptor(_ environment: (String) -> String?) -> Int32? {
        environment(environmentVariable).flatMap { Int32($0) }.flatMap { $0 > STDERR_FILENO ? $0 : nil }
    }

    private static func name(_ identifier: Bytes16) -> String {
        prefix + identifier.bytes.hexadecimal
    }

    /// Whether it is an offer, or what is left of one that was not completed.
    private static func isOurs(_ name: String) -> Bool {
        identifier(PrivateDirectory.finalName(name)) != nil
    }

    private static func identifier(_ name: String) -> Bytes16? {
        [UInt8](hexadecimal: String(name.dropFirst(prefix.count))).flatMap { Bytes16($0) }
    }
}

/// The half that a child inherits: a mark, which file has the other half, the key.
private struct InheritedHalf {
    let identifier: Bytes16
    let key: SecretBytes

    private static let magic = Array("SKHOKEY1".utf8)
    private static let keyByteCount = 32
    private static let byteCount = magic.count + Bytes16.count + keyByteCount

    init(identifier: Bytes16, key: SecretBytes) {
        self.identifier = identifier
        self.key = key
    }

    /// The half behind a descriptor; `nil` if the descriptor refers to anything else.
    init?(descriptor: Int32) {
        let contents = SealedMemory.contents(of: descriptor, count: Self.byteCount)
        let parts = contents?.withUnsafeBytes { bytes -> (Bytes16, SecretBytes)? in
            guard bytes.prefix(Self.magic.count).elementsEqual(Self.magic),
                let identifier = Bytes16(bytes[Self.magic.count...].prefix(Bytes16.count))
            else { return nil }
            return (identifier, SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes.suffix(Self.keyByteCount))))
        }
        guard let (identifier, key) = parts ?? nil else { return nil }
        self.init(identifier: identifier, key: key)
    }

    var bytes: SecretBytes {
        withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) { buffer in
            defer { keychain_wipe(buffer.baseAddress, buffer.count) }
            let front = Self.magic + identifier.bytes
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<front.count]).copyBytes(from: front)
            key.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[front.count...]).copyBytes(from: $0) }
            return SecretBytes(copying: UnsafeRawBufferPointer(buffer))
        }
    }
}
