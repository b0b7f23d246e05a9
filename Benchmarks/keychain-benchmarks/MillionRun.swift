// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How the engine does with very many items: what it costs to open the store, to add and to read, and how large the
/// file is.
///
/// The items are added one by one through the engine, where no write waits for a disk: a minute or two for a million.
struct MillionRun {
    let size: Int
    let options: Options
    let scratch: Scratch

    func run(_ report: inout Report) throws {
        let start = Clock.wall.now
        let fixtures = try [100, size].map { try Fixture(size: $0, in: scratch, for: [.engine]) }
        print(Report.millionHeading(size, seconds: (Clock.wall.now - start) / 1e9))
        print(report.opening(size, try opening(fixtures[1])))
        let participants = try fixtures.map { try $0.participant(.engine) }
        for operation in [Operation.add, .readByPrimaryKey] {
            let samples = try Interleaving(options).measure(operation, participants)
            for clock in operation.clocks { print(report.million(operation, on: clock, size: size, samples: samples)) }
        }
        print(Report.footprintHeading)
        for fixture in fixtures { print(report.footprint(fixture.size, try Footprint(of: fixture))) }
    }

    /// The median time until a keychain that was just made has answered its first read.
    private func opening(_ fixture: Fixture) throws -> Double {
        let times = try (0..<options.rounds).map { _ in
            let item = Int.random(in: 0..<size)
            let start = Clock.wall.now
            try EngineSubject(fixture.folder(.engine)).readByPrimaryKey(item)
            return Clock.wall.now - start
        }
        return Samples.median(times)
    }
}
