// SPDX-License-Identifier: Apache-2.0

import Glibc
import MessageBus

/// The events received on one connection to a bus.
///
/// Only signals of the owner of the login manager's name count: on a bus, anyone may send a signal to anyone.
final class LoginListener {
    let bus: Bus
    private let handle: (LoginEvent) -> Void

    /// The unique name of the login manager on the bus; `nil` while there is none.
    private var owner: String?

    /// The users of sessions, by the paths of their objects: a session may have ended when its lock is heard.
    private var users: [String: UInt32] = [:]

    /// Keeps the host awake until the coming sleep has been handled; closing it lets the host sleep.
    private var delay: Delay?

    /// Why the login manager has refused the delay.
    private var refusal: BusError?

    /// The longest delay that it grants, in milliseconds; `nil` if it does not say.
    private var longestDelay: Int?

    init(_ bus: Bus, _ handle: @escaping (LoginEvent) -> Void) throws(BusError) {
        self.bus = bus
        self.handle = handle
        for rule in Self.rules { _ = try bus.callDriver("AddMatch", rule) }
        // After the rules, so that no change of owner is missed in between.
        welcome(try? bus.callDriver("GetNameOwner", Self.service).string())
    }

    /// The events to listen for.
    var state: LoginManager.State {
        if owner == nil { return .noLoginManager }
        if let refusal { return .listeningWithoutDelay("\(refusal)") }
        guard let longestDelay, longestDelay < LoginManager.sleepMilliseconds else { return .listening }
        return .listeningWithShortDelay(milliseconds: longestDelay)
    }

    /// Deals with all messages that have come.
    func handlePendingMessages() throws(BusError) {
        while let message = try bus.next() {
            if message.sender == Bus.driver { handleOwnerChange(message) } else { handleSignal(message) }
        }
    }

    private func handleOwnerChange(_ message: borrowing BusMessage) {
        guard message.isSignal, message.name == "\(Bus.driver).NameOwnerChanged", message.string() == Self.service,
            message.string() != nil, let owner = message.string()
        else { return }
        welcome(owner.isEmpty ? nil : owner)
    }

    private func handleSignal(_ message: borrowing BusMessage) {
        guard let owner, message.sender == owner, message.isSignal else { return }
        switch message.name {
        case "\(Self.session).Lock": handle(.locked(user: user(ofSession: message.path)))
        case "\(Self.session).Unlock": handle(.unlocked(user: user(ofSession: message.path)))
        case "\(Self.properties).PropertiesChanged":
            // A screen lock sets the hint of its session without a request to lock it.
            guard message.string() == Self.session, lockedHint(message) == true else { return }
            handle(.locked(user: user(ofSession: message.path)))
        case "\(Self.manager).SessionNew":
            if let path = sessionPath(message) { _ = user(ofSession: path) }
        case "\(Self.manager).SessionRemoved":
            // Its other signals came before this one.
            if let path = sessionPath(message) { users[path] = nil }
        case "\(Self.manager).UserRemoved":
            if let user = message.uint32() { handle(.loggedOut(user: user)) }
        case "\(Self.manager).PrepareForSleep": prepareForSleep(isBeginning: message.bool() ?? true)
        default: break
        }
    }

    private func prepareForSleep(isBeginning: Bool) {
        handle(isBeginning ? .goingToSleep : .wokeUp)
        delay = isBeginning ? nil : requestDelay()
    }

    private func welcome(_ owner: String?) {
        self.owner = owner
        users = owner == nil ? [:] : usersOfSessions()
        delay = owner == nil ? nil : requestDelay()
    }

    /// A delay of the next sleep; `nil` if the login manager grants none, so that the host may sleep too soon.
    private func requestDelay() -> Delay? {
        refusal = nil
        longestDelay = readLongestDelay()
        do throws(BusError) {
            let reply = try bus.call(on: Self.service, at: Self.managerPath, interface: Self.manager, method: "Inhibit")
            { call throws(BusError) in
                for text in ["sleep", "keychaind", "The keychain is locked before the computer sleeps.", "delay"] {
                    try call.append(text)
                }
            }
            return reply.descriptor().flatMap { Delay(copying: $0) }
        } catch {
            refusal = error
            return nil
        }
    }

    /// The setting may have changed since it was asked for last.
    private func readLongestDelay() -> Int? {
        let reply = try? bus.call(on: Self.service, at: Self.managerPath, interface: Self.properties, method: "Get") {
            call throws(BusError) in
            try call.append(Self.manager)
            try call.append("InhibitDelayMaxUSec")
        }
        guard let reply, reply.enter("v", "t"), let microseconds = reply.uint64() else { return nil }
        return Int(clamping: microseconds / 1_000)
    }

    /// The users of all sessions; empty if the login manager does not report them.
    private func usersOfSessions() -> [String: UInt32] {
        let reply = try? bus.call(
            on: Self.service,
            at: Self.managerPath,
            interface: Self.manager,
            method: "ListSessions"
        )
        guard let reply, reply.enter("a", "(susso)") else { return [:] }
        var users: [String: UInt32] = [:]
        while reply.enter("r", "susso") {
            guard reply.skip("s"), let user = reply.uint32(), reply.skip("ss"), let path = reply.objectPath() else {
                break
            }
            users[path] = user
            reply.leave()
        }
        return users
    }

    /// The session that began or ended.
    private func sessionPath(_ message: borrowing BusMessage) -> String? {
        message.skip("s") ? message.objectPath() : nil
    }

    /// The user of a session; `nil` for one that ended before the request.
    private func user(ofSession path: String) -> UInt32? {
        if let known = users[path] { return known }
        let user = readUser(ofSession: path)
        users[path] = user
        return user
    }

    private func readUser(ofSession path: String) -> UInt32? {
        let reply = try? bus.call(on: Self.service, at: path, interface: Self.properties, method: "Get") {
            call throws(BusError) in
            try call.append(Self.session)
            try call.append("User")
        }
        guard let reply, reply.enter("v", "(uo)"), reply.enter("r", "uo") else { return nil }
        return reply.uint32()
    }

    /// The value of the hint that a session is locked, in a change of properties.
    private func lockedHint(_ message: borrowing BusMessage) -> Bool? {
        guard message.enter("a", "{sv}") else { return nil }
        while message.enter("e", "sv") {
            if message.string() == "LockedHint" { return message.enter("v", "b") ? message.bool() : nil }
            guard message.skip("v") else { return nil }
            message.leave()
        }
        return nil
    }

    private static let service = "org.freedesktop.login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let managerPath = "/org/freedesktop/login1"
    private static let session = "org.freedesktop.login1.Session"
    private static let properties = "org.freedesktop.DBus.Properties"

    private static let rules = [
        "type='signal',sender='\(Bus.driver)',member='NameOwnerChanged',arg0='\(service)'",
        "type='signal',sender='\(service)',interface='\(session)'",
        "type='signal',sender='\(service)',interface='\(manager)',member='PrepareForSleep'",
        "type='signal',sender='\(service)',interface='\(manager)',member='UserRemoved'",
        "type='signal',sender='\(service)',interface='\(manager)',member='SessionNew'",
        "type='signal',sender='\(service)',interface='\(manager)',member='SessionRemoved'",
        "type='signal',sender='\(service)',interface='\(properties)',member='PropertiesChanged',arg0='\(session)'",
    ]
}

/// A descriptor for which the login manager delays a sleep.
private final class Delay {
    private let descriptor: Int32

    init?(copying other: Int32) {
        descriptor = fcntl(other, F_DUPFD_CLOEXEC, 3)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }
}
