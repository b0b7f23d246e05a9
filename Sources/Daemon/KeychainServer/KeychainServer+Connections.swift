// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainWire
import Synchronization

/// Accepting, identifying and refusing processes, and closing their sockets.
extension KeychainServer {
    func accept(_ number: UInt64) {
        let listening = sockets[Int(number) - 1]
        let socket = keychain_accept(listening)
        let failure = errno
        if socket < 0, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(failure) {
            // Pending connections stay in the backlog until descriptors are free.
            isAcceptPaused.store(true, ordering: .sequentiallyConsistent)
            return housekeeping.recordActivity()
        }
        // Another thread accepts the next one while this one is identified.
        if !isStopping { _ = keychain_watch_again(watch, listening, number, SocketReadiness.readable.rawValue) }
        if socket >= 0 { admit(socket) }
    }

    func resumeAccepting() {
        guard isAcceptPaused.exchange(false, ordering: .sequentiallyConsistent) else { return }
        for (index, socket) in sockets.enumerated() {
            _ = keychain_watch_again(watch, socket, UInt64(index) + 1, SocketReadiness.readable.rawValue)
        }
    }

    /// Has the process at a socket identified, and then those of its account that were queued for that.
    private func admit(_ socket: Int32) {
        let candidate: AdmissionTable.Candidate
        var process: pid_t = 0
        var user: uid_t = 0
        var account = Account.unknown
        do throws(KeychainError) {
            let failure = keychain_peer(socket, &process, &user)
            guard failure == 0 else { throw KeychainError(call: "getsockopt", errno: failure) }
            if admission.isKnown(user) { account = .user(user) }
            // A socket that connected before the listening one had the option need not inherit it (seen on Linux 6.18).
            let unnamed = keychain_name_senders(socket)
            guard unnamed == 0 else { throw KeychainError(call: "setsockopt", errno: unnamed) }
            keychain_permit_descriptors(socket, false)
            // Its connections count as those of all programs before they are identified, even if it has left them.
            try admissions.checkRoom(for: process, of: account)
            try makeRoom(for: account)
            candidate = AdmissionTable.Candidate(
                socket: socket,
                process: process,
                user: user,
                account: account,
                mounts: MountView(of: process),
                since: tick
            )
        } catch {
            refuse(socket, error)
            return close(socket, of: account.share(of: process), account)
        }
        guard admissions.enter(candidate) else { return housekeeping.recordActivity() }
        workers.begin { [self] in work() }
        defer { workers.end() }
        admit(candidate)
        admitQueued(of: account)
    }

    /// Has the queued processes of an account identified, as long as they may take a place.
    private func admitQueued(of account: Account) {
        while let next = admissions.next(of: account, tick: tick) { admit(next) }
    }

    /// The same on other threads, for places that no thread has given up: those of overdue identifications.
    func admitQueued() {
        for account in admissions.accountsWithRoom {
            workers.startBusy({ [self] in admitQueued(of: account) }, then: { [self] in work() })
        }
    }

    private func admit(_ candidate: AdmissionTable.Candidate) {
        var candidate = candidate
        do throws(KeychainError) {
            let peer = try examine(candidate)
            let account = Account.user(candidate.user)
            if candidate.account != account {
                try connections.move(candidate.account, to: account)
                candidate.account = account
            }
            let process = try processes.join(peer, of: candidate.user)
            let identity: HeldBytes
            do throws(KeychainError) { identity = try process.hold(identityOf: peer) } catch {
                leave(process)
                throw error
            }
            addConnection(
                Connection(
                    candidate.socket,
                    number: numbers.add(1, ordering: .relaxed).newValue,
                    user: candidate.user,
                    sender: candidate.process,
                    process: process,
                    peer: peer,
                    folder: options.folder,
                    versions: options.versions,
                    tick: tick,
                    identity: identity,
                    close: { [self] socket in close(socket, of: process.share, account) }
                )
            )
        } catch {
            drop(candidate, error)
        }
    }

    /// Identifies a process; others are served meanwhile, regardless of how long that takes.
    private func examine(_ candidate: AdmissionTable.Candidate) throws(KeychainError) -> any ConnectedPeer {
        let result = Result { () throws(KeychainError) in
            guard !isStopping, !admission.isOver else { throw .stopping }
            try admissions.begin(candidate)
            housekeeping.recordActivity()
            return try admission.admit(candidate.socket)
        }
        try admissions.end(candidate.socket)
        return try result.get()
    }

    /// Refuses a process that has a reserved connection.
    func drop(_ candidate: AdmissionTable.Candidate, _ error: KeychainError) {
        connections.unreserve(candidate.account)
        refuse(candidate.socket, error)
        close(candidate.socket, of: candidate.account.share(of: candidate.process), candidate.account)
    }

    /// Closes a socket that is not used any more; for as long as it cannot be, it counts as a connection.
    private func close(_ socket: Int32, of share: ConnectedProcess.Share, _ account: Account) {
        sleeping.close(socket, of: share) {
            connections.retain(account)
            processes.retain(share)
        } isClosed: { [self] next in
            connections.release(account)
            processes.release(share)
            for other in next { watchAgain(other, .readable) }
        }
    }

    /// Makes room for a connection of an account, by closing an idle one if necessary.
    private func makeRoom(for account: Account) throws(KeychainError) {
        do throws(KeychainError) { try connections.reserve(account) } catch {
            guard let idle = connections.longestIdle(for: account, keeping: options.maximumIdleConnections),
                idle.sendGoodbye(tick: tick)
            else { throw error }
            end(idle)
            try connections.reserve(account)
        }
    }

    private func addConnection(_ connection: Connection) {
        guard connections.insert(connection) else {
            _ = connection.sendGoodbye(tick: tick)
            connection.end(nil, tick: tick)
            return leave(connection.process)
        }
        // The server may have been idle before, apart from the identification.
        housekeeping.recordActivity()
        let wanted = SocketReadiness.readable.rawValue
        if keychain_watch_add(watch, connection.socket, connection.number, wanted) != 0 { end(connection) }
    }

    /// Sends why a process is refused, without reading its greeting.
    func refuse(_ socket: Int32, _ error: KeychainError) {
        // Regardless of the folder that a program intends: the served one may have been replaced.
        let greeting = ServerGreeting.beforeGreeting(options.versions).bytes
        // A program that connects too late tries the next daemon.
        let reason = isStopping || admission.isOver ? WireMessage.goodbye(0) : .failure(0, error)
        let failure = (try? reason.encoded().unprotectedCopy) ?? []
        let message = greeting + failure
        _ = message.withUnsafeBytes { keychain_send(socket, $0.baseAddress, $0.count) }
        shutdown(socket, Int32(SHUT_RDWR))
    }
}
