// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation

/// Compares the keychain with what its disk and its cryptography cost at the least; see `Benchmarks/README.md`.
@main
struct KeychainBenchmarks {
    static func main() {
        // All runs but one measure the keychain of the process, in a folder of their own.
        MissingApp.reachProcessKeychain()
        do {
            guard let options = try Options(CommandLine.arguments.dropFirst()) else { return print(Options.help) }
            if options.measuresKeys { return try report { try KeyRun(rounds: options.rounds).run(&$0) } }
            if options.measuresTesting { return try report { try TestingRun(rounds: options.rounds).run(&$0) } }
            let scratch = try Scratch(in: options.directory)
            defer { scratch.remove() }
            try scratch.becomeHome()
            if let profile = options.profile {
                try profile.run(try Fixture(size: options.sizes[0], in: scratch))
            } else if options.measuresIdentities {
                try report { try IdentityRun(rounds: options.rounds, scratch: scratch).run(&$0) }
            } else if options.measuresExplanations {
                let size = options.sizes.last ?? 10_000
                try report { try ExplanationRun(size: size, rounds: options.rounds, scratch: scratch).run(&$0) }
            } else if options.measuresDaemon {
                try report { try DaemonRun(rounds: options.rounds, scratch: scratch).run(&$0) }
            } else if options.measuresSecretService {
                try report {
                    try SecretServiceRun(rounds: options.rounds, sizes: options.sizes, scratch: scratch).run(&$0)
                }
            } else if options.measuresCommands {
                try report { try CommandRun(size: options.sizes[0], rounds: options.rounds, scratch: scratch).run(&$0) }
            } else if options.measuresMillion {
                try report { try MillionRun(size: options.sizes[0], options: options, scratch: scratch).run(&$0) }
            } else if options.measuresDevice {
                let size = options.sizes.last ?? 1_000
                try report { try DeviceRun(size: size, rounds: options.rounds, scratch: scratch).run(&$0) }
            } else {
                try compare(options, scratch)
            }
        } catch {
            FileHandle.standardError.write(Data("keychain-benchmarks: \(error)\n".utf8))
            exit(1)
        }
    }

    /// Measures, and prints the summary.
    private static func report(_ run: (inout Report) throws -> Void) throws {
        var report = Report()
        try run(&report)
        Report.show(report.summary)
    }

    private static func compare(_ options: Options, _ scratch: Scratch) throws {
        var report = Report()
        var fixtures: [Fixture] = []
        Report.show(Report.heading(options, scratch))
        for size in options.sizes {
            let fixture = try Fixture(size: size, in: scratch)
            fixtures.append(fixture)
            let participants = try Contender.allCases.map(fixture.participant)
            for operation in Operation.allCases {
                let samples = try Interleaving(options).measure(operation, participants)
                for clock in operation.clocks {
                    Report.show(report.row(operation, on: clock, size: size, samples: samples))
                }
            }
            try fixture.leaveHome()
        }
        try growth(of: fixtures, with: options, into: &report)
        Report.show(Report.footprintHeading)
        for fixture in fixtures { Report.show(report.footprint(fixture.size, try Footprint(of: fixture))) }
        Report.show(report.summary)
    }

    /// Compares the smallest store with the largest.
    private static func growth(of fixtures: [Fixture], with options: Options, into report: inout Report) throws {
        guard let small = fixtures.first, let large = fixtures.last, small !== large else { return }
        let participants = try [.sealed, .engine].flatMap { (contender: Contender) in
            [try small.participant(contender), try large.participant(contender)]
        }
        Report.show(Report.growthHeading)
        for operation in [Operation.add, .readByPrimaryKey] {
            let samples = try Interleaving(options).measure(operation, participants)
            for clock in operation.clocks {
                let (raw, engine) = (samples.ratio(clock, 1, to: 0), samples.ratio(clock, 3, to: 2))
                Report.show(
                    report.growth(
                        of: operation,
                        on: clock,
                        across: "\(small.size) → \(large.size)",
                        raw: raw,
                        engine: engine
                    )
                )
            }
        }
    }
}
