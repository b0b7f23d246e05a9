// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A clock of the system, in nanoseconds.
enum Clock: CaseIterable {
    /// What passes on the wall, waiting included.
    case wall
    /// What the processor works for this thread, in the program and in the kernel. Other programs do not count.
    case processor

    var now: Double {
        var time = timespec()
        clock_gettime(self == .wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// A subject on a store, one of those that take turns.
struct Participant {
    let contender: Contender
    let fixture: Fixture
    let subject: any Subject
}

/// The times of one operation in nanoseconds: for each clock a row for each participant, a column for each round.
struct Samples {
    private var times: [Clock: [[Double]]] = [:]

    init(participants: Int) {
        for clock in Clock.allCases { times[clock] = Array(repeating: [], count: participants) }
    }

    mutating func append(_ time: [Clock: Double], _ participant: Int) {
        for (clock, time) in time { times[clock]?[participant].append(time) }
    }

    func median(_ clock: Clock, _ participant: Int) -> Double { Self.median(rounds(clock, participant)) }

    func fastest(_ clock: Clock, _ participant: Int) -> Double { rounds(clock, participant).min() ?? .nan }

    /// The median of the ratios within each round: what slows a whole round down cancels out.
    func ratio(_ clock: Clock, _ participant: Int, to basis: Int) -> Double {
        Self.median(zip(rounds(clock, participant), rounds(clock, basis)).map { $0 / $1 })
    }

    private func rounds(_ clock: Clock, _ participant: Int) -> [Double] { times[clock]?[participant] ?? [] }

    static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

/// Lets participants take turns: round after round, each time from another one on.
struct Interleaving {
    private let options: Options

    init(_ options: Options) { self.options = options }

    /// Times one operation.
    ///
    /// The stores hold as many items afterwards as before.
    func measure(_ operation: Operation, _ participants: [Participant]) throws -> Samples {
        var samples = Samples(participants: participants.count)
        // The first round warms up: connections, prepared statements, caches.
        for round in -1..<options.rounds {
            for turn in participants.indices {
                let index = (turn + round + 1) % participants.count
                let items = items(for: operation, from: participants[index].fixture, round: round)
                let time = try time(operation, on: items, by: participants[index].subject)
                if round >= 0 { samples.append(time, index) }
            }
        }
        return samples
    }

    private func items(for operation: Operation, from fixture: Fixture, round: Int) -> [Int] {
        switch operation {
        case .add, .delete:
            let first = Fixture.spare + (round + 1) * options.durableBlock
            return Array(first..<first + options.durableBlock)
        default:
            let count = operation.isDurable ? options.durableBlock : options.readBlock
            return (0..<count).map { _ in Int.random(in: 0..<fixture.size) }
        }
    }

    /// The time of one operation: of reads the mean of the turn, of what waits for the disk the median.
    private func time(_ operation: Operation, on items: [Int], by subject: any Subject) throws -> [Clock: Double] {
        if operation == .delete { for item in items { try subject.add(item) } }
        let times = try (operation.isDurable ? items.map { [$0] } : [items]).map { items in
            let (wall, processor) = (Clock.wall.now, Clock.processor.now)
            for item in items { try subject.run(operation, item) }
            let count = Double(items.count)
            return (processor: (Clock.processor.now - processor) / count, wall: (Clock.wall.now - wall) / count)
        }
        if operation == .add { for item in items { try subject.delete(item) } }
        return [.wall: Samples.median(times.map(\.wall)), .processor: Samples.median(times.map(\.processor))]
    }
}
