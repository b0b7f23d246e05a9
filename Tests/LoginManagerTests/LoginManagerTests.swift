// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import LoginManager

/// What is heard of sessions and sleep, on a bus of the test's own with a login manager of its own.
@Suite(.timeLimit(.minutes(5)))
struct LoginManagerTests {
    @Test("the lock of a session is told with its user")
    func lock() async throws {
        let (login, listening) = try await listen()
        login.lock()
        #expect(await listening.next() == .locked(user: FakeLoginManager.user))
        login.unlock()
        #expect(await listening.next() == .unlocked(user: FakeLoginManager.user))
    }

    @Test("a screen lock that only sets the hint of its session counts")
    func lockedHint() async throws {
        let (login, listening) = try await listen()
        login.setLockedHint(false)
        login.setLockedHint(true)
        #expect(await listening.next() == .locked(user: FakeLoginManager.user))
    }

    @Test("the lock of a session that ended before it was heard is told with its user, also of one that began later")
    func endedSession() async throws {
        let (login, listening) = try await listen()
        let later = "/org/freedesktop/login1/session/_32"
        login.begin(later)
        // The beginning was dealt with when what follows it is told.
        login.prepareForSleep(false)
        #expect(await listening.next() == .wokeUp)
        for session in [FakeLoginManager.sessionPath, later] {
            login.lockAndEnd(session)
            #expect(await listening.next() == .locked(user: FakeLoginManager.user))
            login.lock(session)
            #expect(await listening.next() == .locked(user: nil), "what has ended is forgotten")
        }
    }

    @Test("a session that is gone, and was never known, may have been anybody's")
    func goneSession() async throws {
        let (login, listening) = try await listen()
        login.lock("/org/freedesktop/login1/session/gone")
        #expect(await listening.next() == .locked(user: nil))
    }

    @Test("the end of the last session of a user is told")
    func loggedOut() async throws {
        let (login, listening) = try await listen()
        login.removeUser()
        #expect(await listening.next() == .loggedOut(user: FakeLoginManager.user))
    }

    @Test("the host sleeps only after the event was handled")
    func sleep() async throws {
        let (bus, login) = try await start()
        var delays = login.delays.makeAsyncIterator()
        let isHeld = Reply()
        let listening = try await Listening(bus) { event in
            if event == .goingToSleep { isHeld.set(isHeld.descriptor.map { !isAtEnd($0, milliseconds: 0) }) }
        }
        let delay = try #require(await delays.next())
        isHeld.descriptor = delay
        login.prepareForSleep(true)
        #expect(await listening.next() == .goingToSleep)
        #expect(isHeld.value == true)
        #expect(isAtEnd(delay, milliseconds: 60_000), "the host may sleep once the event was handled")
        login.prepareForSleep(false)
        #expect(await listening.next() == .wokeUp)
        #expect(await delays.next() != nil, "the next sleep is delayed again")
    }

    @Test("a login manager that does not delay a suspend is told, and its events count")
    func withoutDelay() async throws {
        let bus = try PrivateBus()
        let login = try await FakeLoginManager(on: bus, refusesDelay: true)
        let refused = LoginManager.State.listeningWithoutDelay("org.freedesktop.DBus.Error.AccessDenied")
        let listening = try await Listening(bus, until: refused)
        login.prepareForSleep(true)
        #expect(await listening.next() == .goingToSleep)
    }

    @Test("a login manager that delays a suspend for less than a lock may take is told, and its events count")
    func shortDelay() async throws {
        let bus = try PrivateBus()
        let short = try await FakeLoginManager(on: bus, longestDelay: 1_500_000)
        let listening = try await Listening(bus, until: .listeningWithShortDelay(milliseconds: 1_500))
        short.prepareForSleep(true)
        #expect(await listening.next() == .goingToSleep)
        short.leave()
        await listening.wait(for: .noLoginManager)
        let long = try await FakeLoginManager(on: bus, longestDelay: 5_000_000)
        await listening.wait(for: .listening)
        withExtendedLifetime(long) {}
    }

    @Test("signals of others than the login manager do not count")
    func impostor() async throws {
        let (bus, login) = try await start()
        let impostor = try await FakeLoginManager(on: bus, takingName: false)
        let listening = try await Listening(bus)
        impostor.lock()
        impostor.prepareForSleep(true)
        impostor.setLockedHint(true)
        await impostor.finish()
        login.unlock()
        #expect(await listening.next() == .unlocked(user: FakeLoginManager.user))
    }

    @Test("a login manager may come and go")
    func comeAndGo() async throws {
        let bus = try PrivateBus()
        let listening = try await Listening(bus, until: .noLoginManager)
        let first = try await FakeLoginManager(on: bus)
        await listening.wait(for: .listening)
        first.leave()
        await listening.wait(for: .noLoginManager)
        let second = try await FakeLoginManager(on: bus)
        await listening.wait(for: .listening)
        second.lock()
        #expect(await listening.next() == .locked(user: FakeLoginManager.user))
    }

    @Test("without a bus the state says so, and listening can be ended")
    func noBus() async throws {
        let listening = Listening(address: "unix:path=/nonexistent/bus")
        #expect(await listening.wait { if case .noBus(let reason) = $0 { !reason.isEmpty } else { false } })
        await listening.stop()
    }

    @Test("the end of the bus is noticed")
    func endOfBus() async throws {
        let (bus, _) = try await start()
        let listening = try await Listening(bus)
        bus.stop()
        #expect(await listening.wait { if case .noBus = $0 { true } else { false } })
        await listening.stop()
    }

    @Test(
        "what locks a user",
        arguments: [
            (LoginEvent.locked(user: 7), true), (.locked(user: 8), false), (.locked(user: nil), true),
            (.loggedOut(user: 7), true), (.loggedOut(user: 8), false), (.goingToSleep, true), (.wokeUp, false),
            (.unlocked(user: 7), false),
        ]
    )
    func locks(_ event: LoginEvent, _ locks: Bool) {
        #expect(event.locks(7) == locks)
    }

    private func listen() async throws -> (FakeLoginManager, Listening) {
        let (bus, login) = try await start()
        return (login, try await Listening(bus))
    }

    private func start() async throws -> (PrivateBus, FakeLoginManager) {
        let bus = try PrivateBus()
        return (bus, try await FakeLoginManager(on: bus))
    }
}
