// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Synchronization
import Testing

@testable import LoginManager

/// A login manager that is listened to on a thread of its own, and what it told.
final class Listening: Sendable {
    private let manager: LoginManager
    private let events: AsyncStream<LoginEvent>
    private let states: AsyncStream<LoginManager.State>
    /// A bus ends with its object.
    private let bus: PrivateBus?

    /// Listens on a bus, once it is in a state.
    init(
        _ bus: PrivateBus,
        until state: LoginManager.State = .listening,
        _ handle: @escaping @Sendable (LoginEvent) -> Void = { _ in }
    ) async throws {
        self.bus = bus
        (manager, events, states) = Self.start(bus.address, handle)
        await wait(for: state)
    }

    /// Listens on the bus at an address.
    init(address: String) {
        bus = nil
        (manager, events, states) = Self.start(address) { _ in }
    }

    private static func start(
        _ address: String,
        _ handle: @escaping @Sendable (LoginEvent) -> Void
    ) -> (LoginManager, AsyncStream<LoginEvent>, AsyncStream<LoginManager.State>) {
        let (events, event) = AsyncStream.makeStream(of: LoginEvent.self)
        let (states, state) = AsyncStream.makeStream(of: LoginManager.State.self)
        let yieldState: @Sendable (LoginManager.State) -> Void = { state.yield($0) }
        let manager = LoginManager(address: .other(address), stateChanged: yieldState) {
            handle($0)
            event.yield($0)
        }
        Thread.detachNewThread {
            manager.run()
            state.finish()
        }
        return (manager, events, states)
    }

    deinit { manager.stop() }

    /// The next event.
    func next() async -> LoginEvent? {
        for await event in events { return event }
        return nil
    }

    func wait(for state: LoginManager.State) async { #expect(await wait { $0 == state }) }

    /// Returns once the state has become one of those; the time limit of the test ends a wait that is in vain.
    func wait(_ isWanted: (LoginManager.State) -> Bool) async -> Bool {
        for await state in states where isWanted(state) { return true }
        return false
    }

    /// Returns once listening has ended.
    func stop() async {
        manager.stop()
        for await _ in states {}
    }
}

/// What a handler found out, for the test.
final class Reply: Sendable {
    private let found = Mutex<(descriptor: Int32?, value: Bool?)>((nil, nil))

    var descriptor: Int32? {
        get { found.withLock { $0.descriptor } }
        set { found.withLock { $0.descriptor = newValue } }
    }

    var value: Bool? { found.withLock { $0.value } }

    func set(_ value: Bool?) { found.withLock { $0.value = value } }
}

/// Whether the other end of a socket was closed within a time.
func isAtEnd(_ descriptor: Int32, milliseconds: Int32) -> Bool {
    var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waited, 1, milliseconds) == 1
}
