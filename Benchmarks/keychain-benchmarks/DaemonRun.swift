// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost

/// What the daemon costs: the program `keychaind` itself, called by the client that programs have.
struct DaemonRun {
    let rounds: Int
    let scratch: Scratch

    static let size = 10_000
    private static let (small, large) = (100, 100_000)
    private static let readsInATurn = 200
    private static let addsInATurn = 20

    func run(_ report: inout Report) throws {
        let sync = try syncNanoseconds()
        let program = try ChildProcess.besideThis("keychaind")
        Report.show(Report.daemonHeading(program, scratch, rounds: rounds, syncNanoseconds: sync))
        let fixture = try Fixture(size: Self.size, in: scratch, for: [.raw, .sealed, .engine])
        let folder = try handOver(fixture)
        let daemon = try DaemonProcess(storeIn: folder, scratch)
        try reads(of: fixture, from: daemon, into: &report)
        try adds(of: fixture, to: daemon, into: &report)
        try twoReaders(daemon, &report)
        try memory(daemon, &report)
        try daemon.stop()
        try start(folder, &report)
        for minimum in Self.minimumSyncMicroseconds {
            try writers(in: folder, syncDelay: sync, atLeast: minimum, into: &report)
        }
        try lockedAnswer(&report)
        try growth(&report)
        Report.show(Report.otherStores)
    }

    /// Makes the store of the engine over to the daemon.
    func handOver(_ fixture: Fixture) throws -> String {
        let folder = fixture.folder(.engine)
        try EmbeddedKeychain(at: KeychainLocation(path: folder)).handOver(to: .daemon)
        return folder
    }

    /// The median time of a sync of as much as an add writes.
    private func syncNanoseconds() throws -> Double {
        let file = open(scratch.path("sync"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure("nothing can be written in \(scratch.folder)") }
        defer { close(file) }
        let pages = [UInt8](repeating: 0x61, count: 5 * 4096)
        let times = try (0..<50).map { number in
            guard pwrite(file, pages, pages.count, off_t(number * pages.count)) == pages.count else {
                throw Failure("nothing can be written in \(scratch.folder)")
            }
            let start = Clock.wall.now
            guard fdatasync(file) == 0 else { throw Failure("nothing can be synced in \(scratch.folder)") }
            return Clock.wall.now - start
        }
        return Samples.median(times)
    }

    /// Numbers of items to read.
    func someItems(of size: Int = Self.size, count: Int = Self.readsInATurn) -> [Int] {
        (0..<count).map { _ in Int.random(in: 0..<size) }
    }

    private func reads(of fixture: Fixture, from daemon: DaemonProcess, into report: inout Report) throws {
        let echo = try PingPong()
        let raw = try fixture.participant(.sealed).subject
        let subject = EngineSubject(daemon.keychain)
        let samples = try Turns(rounds: rounds).measure([
            {
                try Turns.mean(someItems()) { item in
                    try echo.exchange()
                    try raw.readByPrimaryKey(item)
                }
            },
            { try Turns.mean(someItems()) { try subject.readByPrimaryKey($0) } },
            { try Turns.mean(someItems()) { _ in try echo.exchange() } },
        ])
        let base = Report.microseconds(samples.median(.wall, 0))
        let echoed = Report.microseconds(samples.median(.wall, 2))
        Report.show(
            report.daemon(
                "a read by primary key, N = \(Self.size)",
                beside: "ping-pong, raw look-up and open: \(base), of which \(echoed) ping-pong",
                samples.median(.wall, 1),
                ratio: samples.ratio(.wall, 1, to: 0),
                atMost: 3
            )
        )
    }

    private func adds(of fixture: Fixture, to daemon: DaemonProcess, into report: inout Report) throws {
        let raw = try fixture.participant(.raw).subject
        let works = [raw, EngineSubject(daemon.keychain)].map { (subject: any Subject) in
            { () throws -> Double in
                let items = Array(Fixture.spare..<Fixture.spare + Self.addsInATurn)
                let time = try Turns.median(items) { try subject.add($0) }
                for item in items { try subject.delete(item) }
                return time
            }
        }
        let samples = try Turns(rounds: rounds).measure(works)
        Report.show(
            report.daemon(
                "a durable add, N = \(Self.size)",
                beside: "raw: \(Report.microseconds(samples.median(.wall, 0)))",
                samples.median(.wall, 1),
                ratio: samples.ratio(.wall, 1, to: 0),
                atMost: 1.8
            )
        )
    }

    private func growth(_ report: inout Report) throws {
        let daemons = try [Self.small, Self.large].map { size in
            try DaemonProcess(storeIn: handOver(Fixture(size: size, in: scratch, for: [.engine])), scratch)
        }
        let works = zip(daemons, [Self.small, Self.large]).map { daemon, size in
            let subject = EngineSubject(daemon.keychain)
            return { try Turns.mean(someItems(of: size)) { try subject.readByPrimaryKey($0) } }
        }
        let samples = try Turns(rounds: rounds).measure(works)
        Report.show(
            report.daemon(
                "a read, N = \(Self.large), to one, N = \(Self.small)",
                beside: Report.microseconds(samples.median(.wall, 0)),
                samples.median(.wall, 1),
                ratio: samples.ratio(.wall, 1, to: 0),
                atMost: 1.3
            )
        )
        for daemon in daemons { try daemon.stop() }
    }
}

// MARK: - A locked device

extension DaemonRun {
    private static let lockedSize = 2_000
    private static let passcode = SecretBytes(Array("1234".utf8))
    private static let client = Client(accessGroups: EngineSubject.groups)

    /// The answer for an item that the lock keeps, beside a read of one that it does not; both lie in one store.
    private func lockedAnswer(_ report: inout Report) throws {
        let folder = scratch.path("locked")
        try fillWithPasscode(folder)
        let daemon = try DaemonProcess(storeIn: folder, scratch)
        let keychain = daemon.keychain
        try keychain.device.unlock(passcode: Self.passcode)
        try keychain.device.lock()
        let works = [(1, Status.success), (0, .interactionNotAllowed)].map { remainder, expected in
            {
                let items = someItems(of: Self.lockedSize / 2).map { $0 * 2 + remainder }
                return try Turns.mean(items) { item in
                    guard Self.read(item, keychain) == expected else {
                        throw Failure("an item answered something else")
                    }
                }
            }
        }
        let samples = try Turns(rounds: rounds).measure(works)
        Report.show(
            report.daemon(
                "a locked answer, N = \(Self.lockedSize)",
                beside: "a read: \(Report.microseconds(samples.median(.wall, 0)))",
                samples.median(.wall, 1),
                ratio: samples.ratio(.wall, 1, to: 0),
                atMost: 1.2
            )
        )
        try daemon.stop()
    }

    /// Items that a lock takes away, and as many that it does not.
    private func fillWithPasscode(_ folder: String) throws {
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: folder))
        for number in 0..<Self.lockedSize {
            let item = Item(number: number)
            let attributes: PropertyDictionary = [
                "class": .string("genp"), "svce": .string(item.service), "acct": .string(item.account),
                "v_Data": .data(SecretBytes(item.secret)), "pdmn": .string(number.isMultiple(of: 2) ? "ak" : "dk"),
            ]
            _ = try keychain.perform(KeychainRequest(.add(attributes), client: Self.client))
        }
        try keychain.device.setPasscode(Self.passcode)
        try keychain.handOver(to: .daemon)
    }

    private static func read(_ item: Int, _ keychain: any KeychainBackend) -> Status {
        do throws(KeychainError) {
            _ = try keychain.perform(EngineSubject.primaryKeyRequest(item))
            return .success
        } catch {
            return error.status
        }
    }
}
