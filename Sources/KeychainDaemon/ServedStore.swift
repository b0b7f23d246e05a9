// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostFiles
import KeychainCore
import KeychainEngine
import KeychainProtection
import KeychainStore
import KeychainTrust

/// The store that a daemon serves, which no other daemon serves meanwhile.
struct ServedStore: ~Copyable {
    let keychain: EmbeddedKeychain
    let folder: PrivateDirectory
    private let lock: FileLock

    /// How long to wait for a daemon that is stopping.
    private static let patienceMilliseconds: Int32 = 15_000

    /// Opens the store of a folder.
    ///
    /// - Parameters:
    ///   - location: the folder.
    ///   - owner: the owner of the store: the user's daemon opens an existing one; the system service creates it.
    ///   - authenticator: the user prompts.
    ///   - isServed: whether another daemon that serves the store responds; this one is not needed then.
    /// - Throws: ``DaemonFailure``; one of ``DaemonStatus/done`` where another daemon serves.
    init(
        at location: KeychainLocation,
        owner: StoreOwner = .daemon,
        authenticator: any Authenticator,
        isServed: () -> Bool
    ) throws(DaemonFailure) {
        let isCreated = owner == .system
        let found: PrivateDirectory?
        do {
            found = try isCreated ? PrivateDirectory(location) : PrivateDirectory(existing: location)
        } catch {
            throw DaemonFailure(error)
        }
        guard let folder = found else { throw Self.missing(location) }
        let lock = try Self.lock(folder, isServed)
        var device = DeviceOptions(authenticator: authenticator)
        device.owner = owner
        // The system service has stores of many users, whose own settings it does not read.
        device.certificateJudge = SystemTrust(settings: owner == .system ? .system : .process)
        device.attemptLimit = ProgramKeychain.attemptLimit
        // The server limits the contexts of each process; those of one process must not displace others'.
        device.mostContexts = 1 << 16
        let keychain = EmbeddedKeychain(at: location, options: Self.options, device: device)
        let isThere: Bool
        do { isThere = try keychain.checkOwner() } catch { throw DaemonFailure(error) }
        guard isThere || isCreated else { throw Self.missing(location) }
        self.lock = lock
        self.keychain = keychain
        self.folder = folder
    }

    /// Many programs call at the same time: their changes share syncs, and there are as many readers as processors.
    private static var options: StoreOptions {
        let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        return StoreOptions(makesChangesTogether: true, readerCount: max(1, min(processors, 4)))
    }

    private static func missing(_ location: KeychainLocation) -> DaemonFailure {
        DaemonFailure("there is no keychain in \(location.path); 'keychainctl service enable' creates one")
    }

    private static func lock(_ folder: PrivateDirectory, _ isServed: () -> Bool) throws(DaemonFailure) -> FileLock {
        let deadline = Deadline(milliseconds: patienceMilliseconds)
        var pauses = Deadline.Pauses(until: deadline)
        while true {
            do throws(FileError) {
                return try FileLock(DaemonRecord.lockName, in: folder, until: Deadline(milliseconds: 0))
            } catch {
                guard error.isBusy else { throw DaemonFailure(error) }
            }
            if isServed() { throw DaemonFailure("another keychaind already serves the store", .done) }
            guard pauses.wait() else {
                let process = DaemonRecord(in: folder).map { "process \($0.process)" } ?? "another program"
                throw DaemonFailure("\(process) holds the store's lock \(folder.path(of: DaemonRecord.lockName))")
            }
        }
    }
}
