// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The daemon under several clients, and what it takes of the machine.
extension DaemonRun {
    /// What a sync takes at the least while several write: where the disk takes less, the rest is added.
    static let minimumSyncMicroseconds = [200, 1000]

    private static let writers = 8
    private static let adds = 400
    private static let reads = 4_000
    private static let idleClients = 1_000
    private static let minimumStarts = 20

    /// Eight threads that add, beside one: the daemon syncs once for as many as come at the same time.
    func writers(in folder: String, syncDelay sync: Double, atLeast minimum: Int, into report: inout Report) throws {
        let delay = max(0, minimum - Int(sync / 1000))
        let daemon = try DaemonProcess(storeIn: folder, scratch, syncDelay: delay)
        let subject = EngineSubject(daemon.keychain)
        let works = [1, Self.writers].map { threads in
            { () throws -> Double in
                let items = (0..<Self.adds * threads / Self.writers).map { Fixture.spare + $0 * 7919 }
                let time = try Turns.mean(items, threads: threads) { try subject.add($0) }
                _ = try Turns.mean(items, threads: Self.writers) { try subject.delete($0) }
                return time
            }
        }
        let samples = try Turns(rounds: rounds).measure(works)
        Report.show(
            report.threads(
                "\(Self.writers) writers to one, where a sync takes \(minimum) µs (\(delay) of them added)",
                samples,
                atLeast: 3
            )
        )
        try daemon.stop()
    }

    func twoReaders(_ daemon: DaemonProcess, _ report: inout Report) throws {
        let subject = EngineSubject(daemon.keychain)
        let works = [1, 2].map { threads in
            {
                try Turns.mean(someItems(count: Self.reads * threads / 2), threads: threads) {
                    try subject.readByPrimaryKey($0)
                }
            }
        }
        Report.show(report.threads("two readers to one", try Turns(rounds: rounds).measure(works), atLeast: 1.3))
    }

    /// What is resident once the daemon has read every item, and what a thousand processes add that only wait.
    func memory(_ daemon: DaemonProcess, _ report: inout Report) throws {
        let subject = EngineSubject(daemon.keychain)
        _ = try Turns.mean(Array(0..<Self.size), threads: 4) { try subject.readByPrimaryKey($0) }
        let spare = (0..<Self.adds).map { Fixture.spare + $0 }
        _ = try Turns.mean(spare, threads: 4) { try subject.add($0) }
        _ = try Turns.mean(spare, threads: 4) { try subject.delete($0) }
        let before = try daemon.memory
        Report.show(
            report.amount(
                "memory with N = \(Self.size), resident (MiB)",
                details: "\(before), after reads of all by four threads",
                is: Double(before.resident) / 1024,
                atMost: 24
            )
        )
        let clients = try IdleClients(Self.idleClients, of: daemon)
        let after = try daemon.memory
        try clients.stop()
        Report.show(
            report.amount(
                "memory for \(Self.idleClients) processes that are connected (MiB)",
                details: "\(after)",
                is: Double(after.resident - before.resident) / 1024,
                atMost: 32
            )
        )
        try subject.readByPrimaryKey(1)
    }

    /// From the start of the program to the answer that the client has waited for meanwhile.
    func start(_ folder: String, _ report: inout Report) throws {
        let times = try (0..<max(rounds, Self.minimumStarts)).map { _ in
            let item = Int.random(in: 0..<Self.size)
            let start = Clock.wall.now
            let daemon = try DaemonProcess(storeIn: folder, scratch)
            try EngineSubject(daemon.keychain).readByPrimaryKey(item)
            let time = Clock.wall.now - start
            try daemon.stop()
            return time
        }
        let (minimum, maximum) = ((times.min() ?? 0) / 1e6, (times.max() ?? 0) / 1e6)
        Report.show(
            report.amount(
                "start to first answer, N = \(Self.size) (ms)",
                details: "from \(Report.number(minimum)) to \(Report.number(maximum)) ms",
                is: Samples.median(times) / 1e6,
                atMost: 50
            )
        )
    }
}
