// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import KeychainCore
import KeychainHost
import KeychainServer
import KeychainWire
import Synchronization

/// A message bus (D-Bus Specification) for programs of one user, where there is no session bus.
///
/// It knows no services: one of this process is a connection like any other (``connect()``), but for the names that
/// are reserved for it.
package final class BusServer: Sendable {
    /// The address for programs, as `DBUS_SESSION_BUS_ADDRESS` has it.
    package let address: String

    /// `nil` once it is stopped.
    private let socket: Mutex<ListeningSocket?>
    private let mailbox: LoopMailbox
    private let isOver = DispatchSemaphore(value: 0)
    private let isStarted = Atomic<Bool>(false)
    private let isStopped = Atomic<Bool>(false)
    private let options: BusOptions
    private let reservedNames: Set<String>

    /// Listens at a path; nobody is served before ``start()``.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the socket, in a folder that belongs to the user alone, and is made if it is
    ///     missing. A socket there that nobody listens on is replaced.
    ///   - names: the names that only connections of ``connect()`` may have.
    ///   - options: the limits.
    /// - Throws: `errSecNotAvailable` if a program listens there already, or the folder cannot be used.
    package init(
        path: String,
        reserving names: Set<String>,
        options: BusOptions = BusOptions()
    ) throws(KeychainError) {
        let location = SocketLocation(path: path)
        socket = Mutex(try ListeningSocket(location))
        mailbox = try LoopMailbox()
        reservedNames = names
        self.options = options
        address = location.busAddress
    }

    deinit { stop() }

    /// Serves programs from now on, on a thread of its own.
    ///
    /// - Throws: `errSecNotAvailable` if the system has no descriptors or threads left.
    package func start() throws(KeychainError) {
        guard !isStarted.exchange(true, ordering: .sequentiallyConsistent) else { return }
        guard let listening = socket.withLock({ $0?.descriptor }) else { return }
        let (mailbox, isOver) = (mailbox, isOver)
        let (options, names, outcome) = (options, reservedNames, Outcome())
        let isRunning = HostThread.start(.blocked) {
            keychain_name_thread("keychain-bus")
            do throws(KeychainError) {
                let bus = try BusLoop(listeningOn: listening, mailbox, options: options, reservedNames: names)
                outcome.report(nil)
                bus.run()
            } catch {
                outcome.report(error)
            }
            isOver.signal()
        }
        guard isRunning else {
            isOver.signal()
            throw KeychainError(call: "pthread_create", errno: EAGAIN)
        }
        if let error = outcome.wait() { throw error }
    }

    /// A connection of the service: the end of a socket for a D-Bus library, which the caller closes.
    ///
    /// The library authenticates and says Hello on it as on any bus (`sd_bus_set_fd`, `sd_bus_set_bus_client`).
    ///
    /// - Throws: `errSecNotAvailable` if the bus is over, or the system has no descriptors left.
    package func connect() throws(KeychainError) -> Int32 {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw KeychainError(call: "socketpair", errno: errno) }
        let failure = keychain_name_senders(ends[0])
        guard failure == 0, mailbox.add(ends[0]) else {
            for end in ends { close(end) }
            throw KeychainError(call: "connect", errno: failure == 0 ? ECONNREFUSED : failure)
        }
        return ends[1]
    }

    /// Whether the path of the socket no longer leads to it, so that no program finds the bus.
    package var isReplaced: Bool { socket.withLock { $0?.isReplaced ?? true } }

    /// Ends all connections, waits for the thread of the bus, and removes the socket.
    package func stop() {
        guard !isStopped.exchange(true, ordering: .sequentiallyConsistent) else { return }
        mailbox.stop()
        if isStarted.load(ordering: .sequentiallyConsistent) { isOver.wait() }
        socket.withLock { $0 = nil }
    }

    /// Whether the thread of the bus could begin.
    private final class Outcome: Sendable {
        private let error = Mutex<KeychainError?>(nil)
        private let isKnown = DispatchSemaphore(value: 0)

        func report(_ error: KeychainError?) {
            self.error.withLock { $0 = error }
            isKnown.signal()
        }

        func wait() -> KeychainError? {
            isKnown.wait()
            return error.withLock { $0 }
        }
    }
}
