// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainServer
import KeychainTestSupport
import LoginManager
import ServerTestSupport
import Synchronization
import Testing

@testable import KeychainDaemon

/// What one user of the system service may take of what all users share, and what one user ID leaves to the next.
struct SharedLimitsTests {
    private static let client = Client(accessGroups: ["example"])

    private let folder: TemporaryFolder
    private var options = PartitionOptions()

    init() throws {
        folder = try TemporaryFolder()
        options.folder = folder.path
        options.device.passwordWork = .testing
        options.accountName = { "user\($0)" }
    }

    @Test("keys of passcodes and passwords are derived in turns of all users")
    func derivations() throws {
        var options = options
        let turns = DerivationTurns(atMost: 1, patienceMilliseconds: 1)
        options.derivationTurns = turns
        let admission = SystemAdmission(options)
        let partitions = [try admission.partition(of: 7), try admission.partition(of: 8)]
        try turns.withTurn(for: ObjectIdentifier(turns)) { () throws(KeychainError) in
            for partition in partitions {
                let refusal = #expect(throws: KeychainError.self) {
                    try partition.perform(.device(.setPasscode(SecretBytes([1]))))
                }
                #expect(refusal?.reason.contains("too many passcodes") == true, "\(refusal as Any)")
            }
        }
        for partition in partitions { _ = try partition.perform(.device(.setPasscode(SecretBytes([1])))) }
    }

    @Test("a keychain does not grow beyond its limit, the error says what to do, and deletes make room again")
    func fullKeychain() throws {
        var options = options
        options.limitMebibytes = 1
        let admission = SystemAdmission(options)
        let (full, other) = (try admission.partition(of: 7), try admission.partition(of: 8))
        var count = 0
        let refusal = #expect(throws: KeychainError.self) {
            while count < 100 {
                try Self.add("\(count)", bytes: 100_000, full)
                count += 1
            }
        }
        #expect(refusal?.status == .diskFull && count > 5, "\(count): \(refusal as Any)")
        #expect(refusal?.reason.contains("of at most 1 MiB in the system service: delete items") == true)
        try Self.add("a", bytes: 100_000, other)
        #expect(try Self.read("0", full) == 100_000)
        try Self.delete("0", full)
        try Self.add("again", bytes: 90_000, full)
    }

    @Test("a search whose rows take more memory than a user may have is refused, and a smaller one is not")
    func largeSearch() throws {
        var limits = ServerOptions.systemService
        limits.maximumBufferedBytesPerUser = 1 << 20
        let server = try TestServer(admission: SystemAdmission(options), limits)
        let program = server.client()
        for number in 0..<15 { try Self.add("\(number)", bytes: 100_000, program) }
        for _ in 0..<3 {
            let refusal = #expect(throws: KeychainError.self) { try Self.read(nil, program) }
            #expect(refusal?.status == .allocate, "\(refusal as Any)")
            #expect(try Self.read("3", program) == 100_000, "what was counted is given back")
        }
        // Nothing but rows is counted: another program of the user is not refused for it.
        #expect(try Self.read("4", server.client()) == 100_000)
    }

    @Test("a user ID that another account has got does not get the keychain of the former one")
    func otherAccount() throws {
        let name = Mutex("anna")
        var options = options
        options.accountName = { _ in name.withLock(\.self) }
        let admission = SystemAdmission(options)
        let server = try TestServer(admission: admission)
        try Self.add("a", bytes: 1, server.client())
        let file = folder.path(of: "\(geteuid())/account")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "anna\n")
        name.withLock { $0 = "bert" }
        for next in [server, try TestServer(admission: SystemAdmission(options))] {
            let refusal = #expect(throws: KeychainError.self) { try Self.read("a", next.client()) }
            #expect(refusal?.reason.contains("is the account 'bert' now") == true, "\(refusal as Any)")
        }
        // The account was renamed, and root says so.
        #expect(unlink(file) == 0)
        #expect(try Self.read("a", server.client()) == 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "bert\n")
    }

    @Test("a command opens no keychain of another account")
    func otherAccountOfClosed() throws {
        let closed = KeychainLocation(path: folder.path(of: "\(geteuid())"))
        try PartitionAccount.bind(PrivateDirectory(closed), to: "anna", geteuid())
        var options = options
        options.accountName = { _ in "bert" }
        let partition = try SystemAdmission(options).partition(of: geteuid())
        let refusal = #expect(throws: KeychainError.self) { try partition.perform(.device(.status)) }
        #expect(refusal?.reason.contains("is the account 'bert' now") == true, "\(refusal as Any)")
    }

    @Test("while the account of a user ID cannot be determined, as without a name service, nobody gets its keychain")
    func unknownAccount() throws {
        let name = Mutex<String?>("anna")
        var options = options
        options.accountName = { _ in name.withLock(\.self) }
        let server = try TestServer(admission: SystemAdmission(options))
        try Self.add("a", bytes: 1, server.client())
        name.withLock { $0 = nil }
        let refusal = #expect(throws: KeychainError.self) { try Self.read("a", server.client()) }
        #expect(refusal?.status == .notAvailable, "\(refusal as Any)")
        #expect(refusal?.reason.contains("getent passwd") == true, "\(refusal as Any)")
        name.withLock { $0 = "anna" }
        #expect(try Self.read("a", server.client()) == 1)
    }

    @Test("a program that connects, and asks what could be moved, makes nothing")
    func nothingMade() throws {
        let server = try TestServer(admission: SystemAdmission(options))
        let program = server.client()
        #expect(try program.perform(.maintenance(.move(.status))) == .moveStatus(MoveStatus()))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("before a sleep, the keychains of all users are locked at the same time, whatever each of them is doing")
    func locks() throws {
        var options = options
        let clock = HeldClock()
        options.open = { _ in
            var device = DeviceOptions()
            device.passwordWork = .testing
            return OpenedStore(EmbeddedKeychain.inMemory(device: device, clock: clock))
        }
        let admission = SystemAdmission(options)
        let partitions = try (10..<90).map { try admission.partition(of: $0) }
        for partition in partitions { _ = try partition.perform(.device(.setPasscode(SecretBytes([1])))) }
        let calls = DispatchGroup()
        clock.hold()
        for partition in partitions {
            calls.enter()
            _ = HostThread.start(.blocked) {
                // The lock comes first, so that it may fail.
                try? Self.add("a", bytes: 1, partition)
                calls.leave()
            }
        }
        #expect(eventually("each has a call in progress") { clock.heldCount == partitions.count })
        let start = ContinuousClock.now
        admission.handle(.goingToSleep, DaemonLog(descriptor: -1))
        // A lock waits for a second for calls in progress: one after the other they would take eighty.
        let duration = start.duration(to: .now)
        #expect(duration < .seconds(60), "\(duration)")
        clock.release()
        calls.wait()
        for partition in partitions {
            #expect(try partition.device.status().lockState == .locked)
        }
    }

    @Test("a user whose lock takes for ever delays neither another one's lock nor a sleep")
    func endlessLock() throws {
        var options = options
        options.sleepMilliseconds = 10
        options.open = { _ in
            var device = DeviceOptions()
            device.passwordWork = .testing
            return OpenedStore(EmbeddedKeychain.inMemory(device: device))
        }
        let admission = SystemAdmission(options)
        let (hostile, other) = (try admission.partition(of: 7), try admission.partition(of: 8))
        for partition in [hostile, other] { _ = try partition.perform(.device(.setPasscode(SecretBytes([1])))) }
        let (gate, endless) = (DispatchSemaphore(value: 0), DispatchGroup())
        let eventCount = Mutex(0)
        let hasBegun = DispatchSemaphore(value: 0)
        hostile.locks.request(in: endless) {
            hasBegun.signal()
            gate.wait()
        }
        // Before that, a later request would replace it.
        hasBegun.wait()
        // As the thread that listens to the login manager.
        _ = HostThread.start(.blocked) {
            let log = DaemonLog(descriptor: -1)
            let events = [LoginEvent](repeating: .locked(user: 7), count: 20) + [.locked(user: 8), .goingToSleep]
            for event in events {
                admission.handle(event, log)
                eventCount.withLock { $0 += 1 }
            }
        }
        #expect(eventually("all events are handled") { eventCount.withLock(\.self) == 22 })
        #expect(try eventually("the other one is locked") { try other.device.status().lockState == .locked })
        #expect(try hostile.device.status().lockState == .unlocked)
        gate.signal()
        #expect(try eventually("it is locked, too") { try hostile.device.status().lockState == .locked })
        endless.wait()
    }

    private static func add(_ account: String, bytes count: Int, _ keychain: any KeychainBackend) throws {
        let secret = SecretBytes(count: count) { $0.initializeMemory(as: UInt8.self, repeating: 1) }
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), PropertyKey.valueData: .data(secret),
        ]
        _ = try keychain.perform(KeychainRequest(.add(item), client: client))
    }

    /// The number of bytes of the secret of an item, or of all.
    @discardableResult
    private static func read(_ account: String?, _ keychain: any KeychainBackend) throws -> Int {
        var query: PropertyDictionary = ["class": .string("genp"), PropertyKey.returnData: .boolean(true)]
        if let account { query["acct"] = .string(account) } else { query["m_Limit"] = .string("m_LimitAll") }
        let answer = try keychain.perform(KeychainRequest(.copyMatching(query), client: client))
        guard case .single(.data(let secret)) = answer else { return 0 }
        return secret.count
    }

    private static func delete(_ account: String, _ keychain: any KeychainBackend) throws {
        let query: PropertyDictionary = ["class": .string("genp"), "acct": .string(account)]
        _ = try keychain.perform(KeychainRequest(.delete(query), client: client))
    }
}

/// A clock that holds back whoever asks for the time.
private final class HeldClock: KeychainClock {
    private let state = Mutex((isHeld: false, heldCount: 0))
    private let isOver = DispatchSemaphore(value: 0)

    var heldCount: Int { state.withLock(\.heldCount) }

    var now: Timestamp {
        let isHeld = state.withLock { state in
            if state.isHeld { state.heldCount += 1 }
            return state.isHeld
        }
        if isHeld { isOver.wait() }
        return SystemClock().now
    }

    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let count = state.withLock { state in
            state.isHeld = false
            return state.heldCount
        }
        for _ in 0..<count { isOver.signal() }
    }
}
