// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Lets pieces of work take turns: round after round, each time from another one on.
struct Turns {
    let rounds: Int

    /// The times of each, as it gives them itself.
    func measure(_ works: [() throws -> Double]) throws -> Samples {
        var samples = Samples(participants: works.count)
        // The first round warms up.
        for round in -1..<rounds {
            for turn in works.indices {
                let index = (turn + round + 1) % works.count
                let time = try works[index]()
                if round >= 0 { samples.append([.wall: time], index) }
            }
        }
        return samples
    }

    /// The mean time of one call, on the wall.
    static func mean(_ numbers: [Int], _ call: (Int) throws -> Void) rethrows -> Double {
        let start = Clock.wall.now
        for number in numbers { try call(number) }
        return (Clock.wall.now - start) / Double(numbers.count)
    }

    /// The median time of one call, on the wall.
    static func median(_ numbers: [Int], _ call: (Int) throws -> Void) rethrows -> Double {
        Samples.median(try numbers.map { try mean([$0], call) })
    }

    /// The mean time of one call on the wall, where some threads share the calls.
    static func mean(
        _ numbers: [Int],
        threads: Int,
        _ call: @escaping @Sendable (Int) throws -> Void
    ) throws -> Double {
        let failures = Failures()
        let ended = DispatchGroup()
        let start = Clock.wall.now
        for thread in 0..<threads {
            ended.enter()
            // Dispatch has no more threads than there are processors, and these wait for the disk.
            Thread.detachNewThread {
                for index in stride(from: thread, to: numbers.count, by: threads) {
                    do { try call(numbers[index]) } catch { failures.record(error) }
                }
                ended.leave()
            }
        }
        ended.wait()
        let time = Clock.wall.now - start
        if let first = failures.first { throw first }
        return time / Double(numbers.count)
    }
}

/// What threads failed with.
private final class Failures: Sendable {
    private let recorded = Mutex<(any Error)?>(nil)

    var first: (any Error)? { recorded.withLock(\.self) }

    func record(_ error: any Error) { recorded.withLock { $0 = $0 ?? error } }
}
