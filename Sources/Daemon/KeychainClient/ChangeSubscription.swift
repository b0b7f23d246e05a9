// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import KeychainCore
import KeychainHost
import KeychainWire
import Synchronization

/// Notifies a program of changes: on a connection of its own, and on a new one when a daemon stops and another follows.
///
/// While nothing happens it costs no thread. It starts no daemon itself: without one, there are no changes to report.
/// Where systemd listens, its connection makes systemd start the daemon.
final class ChangeSubscription: Sendable {
    private let location: SocketLocation
    private let options: ClientOptions
    private let client: Client
    private let handler: @Sendable (ChangeNotice) -> Void
    private let queue = DispatchQueue(label: "swift-keychain.changes")
    private let state = Mutex(State())
    private let forkGeneration = keychain_fork_generation()

    private struct State {
        /// Waits for notices of the daemon, or for its socket.
        var source: ReadSource?
        var hasEnded = false
        /// Counts the sources, so that a timer finds its own.
        var number = 0
    }

    init(
        at location: SocketLocation,
        options: ClientOptions,
        as client: Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) {
        self.location = location
        self.options = options
        self.client = client
        self.handler = handler
    }

    /// Begins.
    func start() { start(waiting: options.returnMilliseconds) }

    private func start(waiting milliseconds: Int32) {
        // A thread of its own, because connecting may wait for the daemon.
        guard HostThread.start(.blocked, { [self] in connect(waiting: milliseconds) }) else { return retry() }
    }

    /// Ends it; a call of the handler may still be in progress.
    func end() {
        // A forked child has neither the thread nor the connection.
        guard forkGeneration == keychain_fork_generation() else { return }
        let source = state.withLock { state in
            state.hasEnded = true
            return state.source.take()
        }
        _ = source
    }

    private var hasEnded: Bool { state.withLock(\.hasEnded) }

    /// Connects, and waits for a while if no daemon listens.
    private func connect(waiting milliseconds: Int32) {
        // Watched before the first attempt, so that no daemon starts to listen unnoticed.
        // Clients do not create the folder of the system service.
        if !location.isSystemService { _ = try? location.openFolder(making: true) }
        let watch = try? FolderWatch(location.folder, for: .newNames)
        var pauses = Deadline.Pauses(until: options.deadline(milliseconds: milliseconds))
        while !hasEnded {
            do throws(KeychainError) {
                let connection = try DaemonConnection(location, options)
                try connection.observe(as: client)
                return listen(to: connection)
            } catch {
                // A socket exists before its daemon listens, and for a while after one that was killed.
                let isAbsent = error.isMissingDaemon || error.isGoneDaemon
                if isAbsent, pauses.wait() { continue }
                // A daemon that does not respond, or has reached a limit, creates no new socket when it recovers.
                guard let watch, isAbsent || !error.isTemporary else { return retry() }
                wait(for: watch)
                // A daemon that has created its socket may be about to listen.
                if access(location.path, F_OK) == 0 { retrySocket() }
                return
            }
        }
    }

    /// Passes on notices of the daemon.
    private func listen(to connection: DaemonConnection) {
        // Earlier changes are not notified; a program that reads again now misses none.
        queue.async { [self] in if !hasEnded { handler(.unknown) } }
        setSource {
            ReadSource(connection.descriptor, of: connection, on: queue) { [self] in
                switch connection.readNotice() {
                case .nothing: break
                case .notice(let notice): if !hasEnded { handler(notice) }
                case .ended: restart()
                }
            }
        }
    }

    /// Waits until a daemon creates its socket.
    private func wait(for watch: FolderWatch) {
        setSource {
            ReadSource(watch.descriptor, of: watch, on: queue) { [self] in
                guard let names = watch.readChangedNames(), !names.contains(location.name) else { return restart() }
            }
        }
    }

    private func setSource(_ makeSource: () -> ReadSource) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.source = makeSource()
            state.number += 1
        }
    }

    /// Connects again.
    private func restart() { restart(waiting: options.returnMilliseconds) }

    private func restart(waiting milliseconds: Int32) {
        let source = state.withLock { $0.source.take() }
        if source != nil { start(waiting: milliseconds) }
    }

    /// Tries a socket that exists again later, unless the folder changes before.
    private func retrySocket() {
        let number = state.withLock(\.number)
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(options.retryMilliseconds))) { [weak self] in
            guard let self, state.withLock({ $0.number == number }) else { return }
            // One attempt, with no thread that waits: a socket without a daemon may stay for long.
            restart(waiting: 0)
        }
    }

    /// Connects again later.
    private func retry() {
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(options.retryMilliseconds))) { [weak self] in
            guard let self, !hasEnded else { return }
            start()
        }
    }
}

extension DaemonKeychain: ObservableKeychain {
    /// Notifies a program of other programs' changes, until the observation is deallocated.
    package func observeChanges(
        as client: Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) -> ChangeObservation {
        let subscription = ChangeSubscription(at: location, options: options, as: client, handler)
        subscription.start()
        return ChangeObservation { subscription.end() }
    }
}

extension KeychainError {
    /// Whether the same attempt may succeed later.
    fileprivate var isTemporary: Bool { isUnavailable || kind == .transport }
}
