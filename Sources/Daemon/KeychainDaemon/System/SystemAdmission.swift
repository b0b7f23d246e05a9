// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainServer
import LoginManager
import Synchronization

/// Admits the programs of every user of the system, each to the keychain of that user and to no other.
package final class SystemAdmission: Admission {
    private let options: PartitionOptions
    private let partitions = Mutex<[uid_t: Partition]>([:])

    /// An admission to the keychains of a folder.
    package init(_ options: PartitionOptions = PartitionOptions()) { self.options = options }

    /// Removes what a service that was killed had received of keychains; before the first program connects.
    func removeRemains() {
        guard let folder = try? PrivateDirectory(existing: KeychainLocation(path: options.folder)) else { return }
        for name in folder.names(beginningWith: "") where uid_t(name) != nil {
            IncomingKeychain.remove(from: KeychainLocation(path: folder.path(of: name)))
        }
    }

    /// Identifies a process that has connected.
    package func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        let peer = try PeerUser(socket)
        return try partition(of: peer.user).program(at: socket, of: peer)
    }

    /// Whether a user has a keychain here, now or before the service was started: no look-up of the account has to
    /// succeed first, as for each of the user IDs that one user has in namespaces.
    package func isKnown(_ user: uid_t) -> Bool {
        if partitions.withLock({ $0[user] != nil }) { return true }
        var status = stat()
        return lstat("\(options.folder)/\(user)", &status) == 0
    }

    /// Whether the store of any user is open, once those that are not needed were closed.
    var isInUse: Bool {
        let partitions = partitions.withLock { Array($0.values) }
        for partition in partitions { partition.closeIfIdle() }
        return partitions.contains { $0.isOpen || $0.hasConnections }
    }

    /// Writes what was logged, and logs no more; once no program is served any more.
    func close() {
        let limit = DispatchTime.now() + .seconds(AuditLog.closeSeconds)
        for partition in partitions.withLock({ Array($0.values) }) { partition.closeAudit(until: limit) }
    }

    /// Handles an event of the login manager, with the keychain of its user, or with all of them.
    ///
    /// A lock waits for commands in progress, so each keychain is locked on a thread of its own: those of one user
    /// delay no other one's lock. Only a sleep is waited for, because the host sleeps once it has been handled.
    func handle(_ event: LoginEvent, _ log: DaemonLog) {
        // A session without a known user belongs to one user, who must not be able to lock the keychains of all.
        guard event != .locked(user: nil) else { return }
        let concerned = partitions.withLock { Array($0.values) }.filter { $0.isConcerned(by: event) }
        let locked = DispatchGroup()
        for partition in concerned { partition.lock(for: event, locked, log) }
        guard event == .goingToSleep else { return }
        if locked.wait(timeout: .now() + .milliseconds(options.sleepMilliseconds)) == .timedOut {
            log.write(.warning, "the computer may sleep before every keychain is locked: a lock takes too long")
        }
    }

    /// The keychain of a user.
    ///
    /// - Throws: `errSecMissingEntitlement` for a user ID without an account: the overflow user ID, and those of user
    ///   namespaces, of which each user may have thousands (subuid(5)); and for one that systemd gives to a service
    ///   only while that runs, and to another one afterwards.
    func partition(of user: uid_t) throws(KeychainError) -> Partition {
        if let known = partitions.withLock({ $0[user] }) { return known }
        let made = Partition(of: user, options)
        guard user != UserDatabase.overflow, !UserDatabase.isTransient(user), options.accountName(user) != nil
        else {
            throw KeychainError(
                .missingEntitlement,
                "user \(user) has no account on this system, and so no keychain in its system service",
                facts: ["user": "\(user)"]
            )
        }
        return partitions.withLock { partitions in
            let partition = partitions[user] ?? made
            partitions[user] = partition
            return partition
        }
    }
}

extension UserDatabase {
    /// Whether it is one of the user IDs of services with `DynamicUser=` (systemd.exec(5)).
    static func isTransient(_ user: uid_t) -> Bool { (61_184...65_519).contains(user) }

    /// The user ID that stands for all users without one in this namespace (`/proc/sys/kernel/overflowuid`).
    static let overflow: uid_t = {
        let descriptor = open("/proc/sys/kernel/overflowuid", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 65534 }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = read(descriptor, &bytes, bytes.count)
        let digits = bytes[..<max(0, count)].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return uid_t(String(decoding: digits, as: UTF8.self)) ?? 65534
    }()
}
