// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc
import Synchronization

/// Listens to systemd's login manager: who locks a session, who logs out, when the host goes to sleep.
///
/// The host is kept from sleeping until ``LoginEvent/goingToSleep`` has been dealt with. Where there is no system bus,
/// or no login manager on it, nothing comes; it is looked for again from time to time.
public final class LoginManager: Sendable {
    /// Where the bus is.
    public enum Address: Sendable, Hashable {
        /// The system's, which `DBUS_SYSTEM_BUS_ADDRESS` may name.
        case system
        /// Another, such as a test's (D-Bus Specification, "Server Addresses").
        case other(String)
    }

    /// Whether events can come.
    public enum State: Sendable, Hashable {
        /// Not connected yet.
        case starting
        /// Connected to a bus with a login manager.
        case listening
        /// Connected to a bus that has no login manager now.
        case noLoginManager
        /// There is no bus, or it does not answer; the reason in words.
        case noBus(String)
    }

    private let address: Address
    private let handle: @Sendable (LoginEvent) -> Void
    private let stateChanged: @Sendable (State) -> Void
    private let current = Mutex(State.starting)
    private let stopping: StopSignal

    /// Listens on a bus, once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - address: where the bus is.
    ///   - stateChanged: told when ``state`` has changed.
    ///   - handle: deals with an event; while it does, no other one comes.
    public init(
        address: Address = .system,
        stateChanged: @escaping @Sendable (State) -> Void = { _ in },
        handle: @escaping @Sendable (LoginEvent) -> Void
    ) {
        self.address = address
        self.stateChanged = stateChanged
        self.handle = handle
        stopping = StopSignal()
    }

    /// Whether events can come now.
    public var state: State { current.withLock { $0 } }

    /// Listens until ``stop()``, on the thread of the caller.
    public func run() {
        var pauses = Pauses()
        while !stopping.isGiven {
            do throws(BusError) {
                let listener = try LoginListener(connect(), handle)
                pauses = Pauses()
                try listen(listener)
            } catch {
                become(.noBus("\(error)"))
                stopping.wait(milliseconds: pauses.next())
            }
        }
    }

    /// Ends ``run()``; may be called from any thread, also before it.
    public func stop() { stopping.give() }

    private func connect() throws(BusError) -> Bus {
        switch address {
        case .system: try Bus()
        case .other(let address): try Bus(address: address)
        }
    }

    private func listen(_ listener: LoginListener) throws(BusError) {
        while true {
            try listener.handleWhatCame()
            become(listener.hasLoginManager ? .listening : .noLoginManager)
            if try listener.bus.wait(or: stopping.descriptor) || stopping.isGiven { return }
        }
    }

    private func become(_ state: State) {
        let hasChanged = current.withLock { current in
            defer { current = state }
            return current != state
        }
        if hasChanged { stateChanged(state) }
    }

    /// How long to wait for a bus that is not there: longer each time.
    private struct Pauses {
        private var milliseconds: Int32 = 500
        private static let longest: Int32 = 60_000

        mutating func next() -> Int32 {
            defer { milliseconds = min(milliseconds * 2, Self.longest) }
            return milliseconds
        }
    }
}

/// Says once to a thread that it should end: a descriptor that can be read from then on.
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

    var isGiven: Bool { given.load(ordering: .acquiring) }

    func give() {
        given.store(true, ordering: .releasing)
        shutdown(ends.given, Int32(SHUT_WR))
    }

    func wait(milliseconds: Int32) {
        var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&descriptor, 1, milliseconds)
    }
}
