// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainRouting

/// A program that goes on using its keychain while the store changes hands.
///
/// The daemon is a keychain of this process that opens the store as a daemon does.
struct RoutedKeychainTests {
    private let folder: TemporaryFolder
    private let embedded: EmbeddedKeychain
    private let daemon: CountingKeychain
    private let routed: RoutedKeychain

    init() throws {
        folder = try TemporaryFolder()
        let location = KeychainLocation(path: folder.path(of: "keychain"))
        let embedded = EmbeddedKeychain(at: location)
        var device = DeviceOptions()
        device.owner = .daemon
        self.embedded = embedded
        daemon = CountingKeychain(EmbeddedKeychain(at: location, device: device))
        routed = RoutedKeychain([(.embedded, embedded), (.daemon, daemon)]) { () throws(KeychainError) in
            try embedded.checkOwner()
        }
    }

    @Test("commands go to whoever has the store, in both directions, while the program runs")
    func bothDirections() throws {
        try add("first")
        #expect(daemon.count == 0)
        try embedded.handOver(to: .daemon)
        try add("second")
        #expect(daemon.count == 1)
        #expect(routed.owner == .daemon)
        try daemon.keychain.handOver(to: .embedded)
        try add("third")
        #expect(routed.owner == .embedded)
        #expect(try accounts() == ["first", "second", "third"])
    }

    @Test("a program that begins when the daemon has the store goes there at once, also with what needs no store")
    func beginsWithDaemon() throws {
        try add("first")
        try embedded.handOver(to: .daemon)
        let location = KeychainLocation(path: folder.path(of: "keychain"))
        let other = EmbeddedKeychain(at: location)
        let program = RoutedKeychain([(.embedded, other), (.daemon, daemon)]) { () throws(KeychainError) in
            try other.checkOwner()
        }
        _ = try program.perform(.authentication(.biometry))
        #expect(daemon.count == 1)
        #expect(try program.device.status().hasPasscode == false)
        #expect(daemon.count == 2)
    }

    @Test("a daemon that cannot be reached is an error while it has the store, and none when it gave it back")
    func unreachable() throws {
        try add("first")
        try embedded.handOver(to: .daemon)
        daemon.isUnreachable = true
        let failure = #expect(throws: KeychainError.self) { try add("second") }
        #expect(failure?.kind == .unavailable)
        try daemon.keychain.handOver(to: .embedded)
        try add("second")
        #expect(try accounts() == ["first", "second"])
    }

    @Test("a lock for which the daemon has no connection left is one nevertheless, from its next call on")
    func lockWithoutConnection() throws {
        let passcode = SecretBytes([1])
        try embedded.device.setPasscode(passcode)
        try embedded.handOver(to: .daemon)
        try routed.device.unlock(passcode: passcode)
        try add("first")
        daemon.isUnreachable = true
        let failure = #expect(throws: KeychainError.self) { try routed.device.lock() }
        #expect(failure?.kind == .service(.lockedInSilence))
        daemon.isUnreachable = false
        #expect(try routed.device.status().isLocked)
    }

    @Test("a lock that a daemon refuses because it was started in a sandbox is one nevertheless")
    func lockOfDaemonInSandbox() throws {
        let passcode = SecretBytes([1])
        try embedded.device.setPasscode(passcode)
        try embedded.handOver(to: .daemon)
        try routed.device.unlock(passcode: passcode)
        daemon.isInSandbox = true
        let failure = #expect(throws: KeychainError.self) { try routed.device.lock() }
        #expect(failure?.kind == .service(.lockedInSilence))
        #expect(failure?.reason.contains("in a sandbox") == true)
        daemon.isInSandbox = false
        #expect(try routed.device.status().isLocked)
    }

    @Test("a program that takes the daemon for the owner by mistake is refused there, and opens the store")
    func wronglyServing() throws {
        try add("first")
        let location = KeychainLocation(path: folder.path(of: "keychain"))
        let other = EmbeddedKeychain(at: location)
        let program = RoutedKeychain(
            [(.embedded, other), (.daemon, daemon)],
            findServing: { _ in .daemon },
            checkOwner: { () throws(KeychainError) in try other.checkOwner() }
        )
        _ = try program.perform(KeychainRequest(.add(Self.item("second")), client: Self.client))
        #expect(daemon.count == 0)
        #expect(program.owner == .embedded)
        daemon.isUnreachable = true
        _ = try program.perform(KeychainRequest(.add(Self.item("third")), client: Self.client))
        #expect(try accounts() == ["first", "second", "third"])
    }

    @Test("a daemon that listens elsewhere for a moment is asked again, also where the store is its own all the time")
    func movedForAMoment() throws {
        try add("first")
        try embedded.handOver(to: .daemon)
        try add("second")
        daemon.movesLeft = 4
        try add("third")
        #expect(daemon.movesLeft == 0)
        #expect(try accounts() == ["first", "second", "third"])
    }

    @Test("a store of an owner that is not known is refused, and the daemon is not asked")
    func unknownOwner() throws {
        try add("first")
        try embedded.handOver(to: StoreOwner(rawValue: 9))
        let failure = #expect(throws: KeychainError.self) { try add("second") }
        #expect(failure?.foreignOwner == StoreOwner(rawValue: 9))
        #expect(daemon.count == 0)
    }

    @Test("a command whose fate is not known is not sent anywhere else")
    func unknownFate() throws {
        try add("first")
        try embedded.handOver(to: .daemon)
        daemon.losesAnswers = true
        let failure = #expect(throws: KeychainError.self) { try add("second") }
        #expect(failure?.kind == .transport)
        daemon.losesAnswers = false
        #expect(daemon.count == 1)
        #expect(try accounts() == ["first", "second"], "it was carried out, once")
    }

    @Test("an explained call goes to the new owner as well")
    func explained() throws {
        try add("first")
        try embedded.handOver(to: .daemon)
        let call = KeychainRequest(.add(Self.item("second")), client: Self.client)
        #expect(try routed.performExplaining(ExplanationRequest(call)).result == .success(.nothing))
        #expect(try accounts() == ["first", "second"])
    }

    @Test("threads that write while the store moves to and fro lose nothing, and nothing is carried out twice")
    func moves() async throws {
        try add("first")
        let moving = Moving()
        let written = try await withThrowingTaskGroup(of: [String].self) { group in
            for writer in 0..<3 {
                group.addTask {
                    var names: [String] = []
                    while !moving.isOver {
                        let name = "\(writer)-\(names.count)"
                        // One that was carried out twice would be a duplicate.
                        try add(name)
                        names.append(name)
                    }
                    return names
                }
            }
            for _ in 0..<10 {
                try embedded.handOver(to: .daemon)
                try daemon.keychain.handOver(to: .embedded)
            }
            moving.end()
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(try accounts() == Set(written + ["first"]))
    }

    /// Whether the store still moves.
    private final class Moving: Sendable {
        private let over = Atomic(false)
        var isOver: Bool { over.load(ordering: .relaxed) }
        func end() { over.store(true, ordering: .relaxed) }
    }

    private static let client = Client(accessGroups: ["example"])

    private static func item(_ account: String) -> PropertyDictionary {
        [
            "class": .string("genp"), "acct": .string(account), "svce": .string("service"),
            PropertyKey.valueData: .data(SecretBytes([1])),
        ]
    }

    private func add(_ account: String) throws(KeychainError) {
        _ = try routed.perform(KeychainRequest(.add(Self.item(account)), client: Self.client))
    }

    private func accounts() throws -> Set<String> {
        let query: PropertyDictionary = [
            "class": .string("genp"), PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
            PropertyKey.returnAttributes: .boolean(true),
        ]
        let answer = try routed.perform(KeychainRequest(.copyMatching(query), client: Self.client))
        guard case .list(let items) = answer else { return [] }
        return Set(
            items.compactMap { item in
                guard case .dictionary(let entries) = item, case .string(let account)? = entries["acct"] else {
                    return nil
                }
                return account
            }
        )
    }
}

/// A keychain in place of the client of a daemon: counts what reaches it, and fails as that one does.
private final class CountingKeychain: KeychainBackend {
    let keychain: EmbeddedKeychain
    private let state = Mutex((count: 0, isUnreachable: false, isInSandbox: false, losesAnswers: false, movesLeft: 0))

    init(_ keychain: EmbeddedKeychain) { self.keychain = keychain }

    var count: Int { state.withLock(\.count) }

    var isUnreachable: Bool {
        get { state.withLock(\.isUnreachable) }
        set { state.withLock { $0.isUnreachable = newValue } }
    }

    /// Whether it takes every program outside of its sandbox for one in a sandbox.
    var isInSandbox: Bool {
        get { state.withLock(\.isInSandbox) }
        set { state.withLock { $0.isInSandbox = newValue } }
    }

    var losesAnswers: Bool {
        get { state.withLock(\.losesAnswers) }
        set { state.withLock { $0.losesAnswers = newValue } }
    }

    /// How many calls from now on do not find it.
    var movesLeft: Int {
        get { state.withLock(\.movesLeft) }
        set { state.withLock { $0.movesLeft = newValue } }
    }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        if isUnreachable { throw KeychainError(.notAvailable, "nobody listens", kind: .unavailable) }
        if isInSandbox {
            let facts = ["proof": KeychainError.outsideOfSandbox]
            throw KeychainError(.missingEntitlement, "this is not available in a sandbox", facts: facts)
        }
        let hasMoved = state.withLock { state in
            defer { state.movesLeft = max(0, state.movesLeft - 1) }
            return state.movesLeft > 0
        }
        if hasMoved { throw KeychainError(.notAvailable, "it is elsewhere", kind: .service(.moved)) }
        let reply = try keychain.perform(command)
        state.withLock { $0.count += 1 }
        if losesAnswers { throw KeychainError(.notAvailable, "no answer came", kind: .transport) }
        return reply
    }
}
