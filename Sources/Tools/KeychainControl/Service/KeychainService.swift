// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainOnDemand
import KeychainProtection
import KeychainRouting
import KeychainWire

/// The daemon of the user's keychain, as `keychainctl service` manages it.
struct KeychainService: Sendable {
    let location: KeychainLocation
    let embedded: EmbeddedKeychain
    let daemon: DaemonOnDemand

    /// The system service, as programs reach it once it owns the keychain.
    let system: DaemonOnDemand

    /// The daemon of the user's keychain files, regardless of the owner of the store.
    let files: DaemonOnDemand

    /// The user's systemd; `nil` if the first program that needs the daemon starts it.
    let manager: UserManager?

    /// The time limit for a daemon to stop: longer than it waits for calls in progress.
    private static let patienceMilliseconds: Int32 = 30_000

    init(_ parts: ProcessKeychain.Parts, manager: UserManager?) {
        (location, embedded, daemon, system) = (parts.location, parts.embedded, parts.daemon, parts.system)
        files = parts.files
        self.manager = manager
    }

    /// The owner of the store; `nil` if there is no store.
    func owner() throws(Refusal) -> StoreOwner? {
        do throws(KeychainError) {
            return try embedded.checkOwner() ? .embedded : nil
        } catch {
            guard let owner = error.foreignOwner else { throw Refusal(error) }
            return owner
        }
    }

    /// Refuses to configure logging where it is not under the user's control.
    func checkSetsAuditLog() throws(Refusal) {
        guard try owner() == .system else { return }
        throw Refusal(
            "the system service owns the keychain, and logs requests if root has started it with 'keychaind --system "
                + "--audit'; 'keychainctl log' shows them"
        )
    }

    /// The running daemon; `nil` if there is none.
    func running() throws(Refusal) -> DaemonRecord? {
        try folder().flatMap { DaemonRecord(in: $0) }
    }

    /// The folder of the store; `nil` where there is none.
    func folder() throws(Refusal) -> PrivateDirectory? {
        do { return try PrivateDirectory(existing: location) } catch { throw Refusal("\(error)") }
    }

    /// Whether the folder is a copy of one that a service has or had: the records in it refer to the original.
    var isCopy: Bool {
        get throws(Refusal) { try folder().map { ServiceRecord.isCopied(in: $0) } ?? false }
    }

    /// The user's systemd, if it may listen for a folder: not for a folder named explicitly, nor for a copy.
    func manager(of folder: PrivateDirectory) -> UserManager? {
        guard !location.isNamed, !ServiceRecord.isCopied(in: folder) else { return nil }
        if let record = ServiceRecord(in: folder), record.unit == nil { return nil }
        return manager
    }

    /// The process of the running daemon, even if it has no record; `nil` if there is none.
    func runningProcess() throws(Refusal) -> Int32? { try folder().flatMap { DaemonRecord.process(in: $0) } }

    /// The folder of the daemon of keychain files; `nil` where there is none.
    func folderForFiles() throws(Refusal) -> PrivateDirectory? {
        do { return try PrivateDirectory(existing: location.fileDaemon) } catch { throw Refusal("\(error)") }
    }

    /// The process of the running daemon of keychain files; `nil` if there is none.
    func runningProcessForFiles() throws(Refusal) -> Int32? {
        try folderForFiles().flatMap { DaemonRecord.process(in: $0) }
    }

    /// Stops the daemon of keychain files, which locks them; the next command on one starts another.
    ///
    /// - Returns: Whether one was running.
    func stopFiles() throws(Refusal) -> Bool {
        guard try runningProcessForFiles() != nil else { return false }
        do {
            let folder = try PrivateDirectory(location.fileDaemon)
            let deadline = Deadline(milliseconds: Self.patienceMilliseconds)
            _ = try DaemonRecord.stop(in: folder, until: deadline)
        } catch {
            throw Refusal("the daemon of keychain files does not stop: \(error)")
        }
        return true
    }

    /// Runs `body` while no other command moves the store.
    func withExclusiveAccess<Result>(_ body: (PrivateDirectory) throws(Refusal) -> Result) throws(Refusal) -> Result {
        let folder: PrivateDirectory
        let lock: FileLock
        do {
            folder = try PrivateDirectory(location)
            let deadline = Deadline(milliseconds: Self.patienceMilliseconds)
            lock = try FileLock(ServiceRecord.lockName, in: folder, until: deadline)
        } catch {
            throw Refusal("\(error)")
        }
        let result = try body(folder)
        _ = consume lock
        return result
    }

    /// Stops the daemon, and prevents another one from serving the store while `body` runs.
    ///
    /// Calls in progress are finished first.
    func whileStopped<Result>(
        _ folder: PrivateDirectory,
        _ body: () throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        let lock: FileLock
        do {
            lock = try DaemonRecord.stop(in: folder, until: Deadline(milliseconds: Self.patienceMilliseconds))
        } catch {
            let process = DaemonRecord.process(in: folder).map { " (process \($0))" } ?? ""
            throw Refusal("the daemon\(process) does not stop: \(error)")
        }
        let result = try body()
        _ = consume lock
        return result
    }

    /// The store opened as its daemon; only while no daemon may serve it.
    var asDaemon: EmbeddedKeychain { opened(as: .daemon) }

    /// The empty store of a user whose keychain is in the system service.
    var asSystem: EmbeddedKeychain { opened(as: .system) }

    /// The store of a keychain that is being moved.
    var asMoving: EmbeddedKeychain { opened(as: .moving) }

    /// The system service at a socket, before it owns the keychain.
    func service(at socket: SocketLocation) -> any KeychainBackend { DaemonKeychain(at: socket) }

    /// The keychain of a user in the system service, in whose folder root works as the service's user; `nil` for any
    /// other folder.
    func ofSystemService() throws(Refusal) -> EmbeddedKeychain? {
        guard location.isNamed, let folder = try folder(), folder.isTaken(KeychainLocation.accountFileName),
            ServiceRecord(in: folder) == nil
        else { return nil }
        // One that no program can read has no owner.
        return opened(as: (try? owner()) ?? .system)
    }

    private func opened(as owner: StoreOwner) -> EmbeddedKeychain { EmbeddedKeychain(at: location, of: owner) }
}
