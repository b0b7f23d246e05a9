// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainServer
import KeychainStore
import KeychainTrust
import KeychainWire

/// The store that a daemon serves, which no other daemon serves meanwhile.
struct ServedStore: ~Copyable {
    let keychain: EmbeddedKeychain
    let folder: PrivateDirectory
    private let lock: FileLock

    /// Opens the store of a folder.
    ///
    /// - Parameters:
    ///   - location: the folder.
    ///   - device: its owner, authenticator, and limits: the user's daemon opens an existing store; the system service
    ///     creates it.
    ///   - limitMebibytes: the maximum size of the store, in MiB; `nil` for none.
    ///   - isServed: whether another daemon that serves the store responds; this one is not needed then.
    /// - Throws: ``DaemonFailure``; one of ``DaemonStatus/done`` if another daemon serves.
    init(
        at location: KeychainLocation,
        _ device: DeviceOptions,
        limitMebibytes: Int? = nil,
        isServed: () throws(DaemonFailure) -> Bool
    ) throws(DaemonFailure) {
        let isCreated = device.owner == .system
        let found: PrivateDirectory?
        do {
            found = try isCreated ? PrivateDirectory(location) : PrivateDirectory(existing: location)
        } catch {
            throw DaemonFailure(error)
        }
        guard let folder = found else { throw Self.missing(location) }
        let lock = try DaemonLock.acquire(in: folder, of: "store", isServed)
        var device = device
        // The system service has stores of many users: it does not parse their settings, or what they claim to be
        // certificates.
        device.certificateJudge = isCreated ? JudgeProcess() : SystemTrust(settings: .process)
        device.attemptLimit = ProgramKeychain.attemptLimit
        device.keepsPasscode = ProgramKeychain.keepsPasscode
        device.share = CallShare.number
        // The server limits the contexts and decides which are discarded: the keychain does not know which process owns
        // them. Contexts of commands in progress are additional.
        device.maximumContexts = 2 * ServerOptions().maximumContextsPerUser
        let keychain = EmbeddedKeychain(at: location, options: Self.options(limitMebibytes), device: device)
        let isThere: Bool
        do throws(KeychainError) { isThere = try keychain.checkOwner() } catch {
            // Its owner was checked. Commands fail with the reason, but for a recovery and an erasure.
            guard error.isOfLostRootKey else { throw DaemonFailure(error) }
            isThere = true
        }
        guard isThere || isCreated else { throw Self.missing(location) }
        self.lock = lock
        self.keychain = keychain
        self.folder = folder
    }

    /// Many programs call at the same time: their changes share syncs, and there are as many readers as processors,
    /// plus one that is reserved for a program without another.
    private static func options(_ limitMebibytes: Int?) -> StoreOptions {
        let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        var options = StoreOptions(makesChangesTogether: true, readerCount: max(1, min(processors, 4)) + 1)
        options.largestMebibytes = limitMebibytes
        // The inner pages of the indexes of 100,000 items; the kernel caches the others, once for all connections.
        options.cacheKibibytes = 512
        return options
    }

    private static func missing(_ location: KeychainLocation) -> DaemonFailure {
        DaemonFailure("there is no keychain in \(location.path); 'keychainctl service enable' creates one")
    }
}

/// The folder that a daemon serves, regardless of what is at its path later: it may be removed and recreated, like the
/// temporary home folder of a test.
///
/// It is identified by its device and inode, and held open, so that no other folder gets these numbers.
final class ServedFolder: Sendable {
    private let folder: PrivateDirectory
    private let descriptor: Int32
    private let identity: FileIdentity

    /// The folder as it is now.
    ///
    /// - Throws: why it cannot be opened.
    init(_ folder: PrivateDirectory) throws(KeychainError) {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        let failure = errno
        guard descriptor >= 0, let identity = FileIdentity(descriptor: descriptor) else {
            throw KeychainError(call: "open", errno: failure)
        }
        self.folder = folder
        self.descriptor = descriptor
        self.identity = identity
    }

    deinit { close(descriptor) }

    /// The number by which programs distinguish it from others, such as its copies.
    var number: FolderNumber { FolderNumber(identity) }

    /// Whether its path leads to another folder, or to none.
    var isReplaced: Bool { identity.isReplaced(at: folder.path) }

    /// Removes the record of the daemon, unless it is in another folder.
    func removeRecord() { if !isReplaced { folder.remove(DaemonRecord.fileName) } }
}
