// SPDX-License-Identifier: Apache-2.0

import Glibc
import MessageBus
import Synchronization

/// Listens to systemd's login manager: locked sessions, logouts, and suspends.
///
/// Suspend is delayed until ``LoginEvent/goingToSleep`` has been handled. Without a system bus, or a login manager on
/// it, there are no events; the connection is retried from time to time.
package final class LoginManager: Sendable {
    /// Whether this program can connect to a bus at all.
    package static let isAvailable = true

    private let address: Address
    private let handle: @Sendable (LoginEvent) -> Void
    private let stateChanged: @Sendable (State) -> Void
    private let current = Mutex(State.starting)
    private let stopping: StopSignal

    /// Listens on a bus, once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - address: the address of the bus.
    ///   - stateChanged: called when ``state`` has changed.
    ///   - handle: handles an event; called for one event at a time.
    package init(
        address: Address = .system,
        stateChanged: @escaping @Sendable (State) -> Void = { _ in },
        handle: @escaping @Sendable (LoginEvent) -> Void
    ) {
        self.address = address
        self.stateChanged = stateChanged
        self.handle = handle
        stopping = StopSignal()
    }

    /// Whether events can arrive now.
    package var state: State { current.withLock { $0 } }

    /// Listens until ``stop()``, on the calling thread.
    package func run() {
        var pauses = RetryPauses()
        while !stopping.isSent {
            do throws(BusError) {
                let listener = try LoginListener(connect(), handle)
                pauses = RetryPauses()
                try listen(listener)
            } catch {
                setState(.noBus("\(error)"))
                stopping.wait(milliseconds: pauses.next())
            }
        }
    }

    /// Ends ``run()``; callable from any thread, also before it.
    package func stop() { stopping.send() }

    private func connect() throws(BusError) -> Bus {
        switch address {
        case .system: try Bus()
        case .other(let address): try Bus(address: address)
        }
    }

    private func listen(_ listener: LoginListener) throws(BusError) {
        while true {
            try listener.handlePendingMessages()
            setState(listener.state)
            if try listener.bus.wait(or: stopping.descriptor) || stopping.isSent { return }
        }
    }

    private func setState(_ state: State) {
        let hasChanged = current.withLock { current in
            defer { current = state }
            return current != state
        }
        if hasChanged { stateChanged(state) }
    }
}

/// Tells a thread once to end: its descriptor is readable from then on.
private final class StopSignal: Sendable {
    private let ends: (given: Int32, awaited: Int32)
    private let given = Atomic(false)

    init() {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, kind, 0, &pair) == 0, "no descriptors are left")
        ends = (pair[0], pair[1])
    }

    deinit {
        close(ends.given)
        close(ends.awaited)
    }

    var descriptor: Int32 { ends.awaited }

    var isSent: Bool { given.load(ordering: .acquiring) }

    func send() {
        given.store(true, ordering: .releasing)
        shutdown(ends.given, Int32(SHUT_WR))
    }

    func wait(milliseconds: Int32) {
        var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&descriptor, 1, milliseconds)
    }
}
