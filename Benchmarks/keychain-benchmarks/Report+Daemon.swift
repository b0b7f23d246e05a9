// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Report {
    static func daemonHeading(_ program: String, _ scratch: Scratch, rounds: Int, syncNanoseconds: Double) -> String {
        """
        \(program), stores in \(scratch.folder), where a sync takes \(microseconds(syncNanoseconds)); medians of \
        \(rounds) interleaved rounds, by the clock on the wall.

        | what | beside | daemon | compared |
        | --- | --- | ---: | ---: |
        """
    }

    /// A time of the daemon or another service, and how many times that of something else it is; only ours has an aim.
    mutating func daemon(
        _ what: String,
        beside: String,
        _ time: Double,
        ratio: Double,
        atMost limit: Double?
    ) -> String {
        Self.row([what, beside, Self.microseconds(time), compared(what, with: ratio, limit: limit)])
    }

    /// What several threads do in a second beside one, whose times of one call are those of participants 1 and 0.
    mutating func threads(_ what: String, _ samples: Samples, atLeast limit: Double) -> String {
        let rates = (0...1).map { "\(Int(1e9 / samples.median(.wall, $0))) a second" }
        let gain = compared(what, with: samples.ratio(.wall, 0, to: 1), limit: limit, isLeast: true)
        return Self.row([what, "one: \(rates[0])", rates[1], gain])
    }

    /// What the daemon takes of something, in a unit that `what` names.
    mutating func amount(_ what: String, details: String, is amount: Double, atMost limit: Double) -> String {
        Self.row([what, details, "", compared(what, with: amount, limit: limit)])
    }

    static func microseconds(_ nanoseconds: Double) -> String { String(format: "%.1f µs", nanoseconds / 1000) }

    /// What other stores take on a machine like the one that the aims were set for; they are not measured here.
    static let otherStores = """

        Measured elsewhere, on a machine of the same kind: gnome-keyring takes 6,600 µs for an add and 510 µs for a read \
        with 100 items, 420,000 to 490,000 µs and 6,100 µs with 10,000. KWallet takes 116 µs and 108 µs, and nothing of \
        it is durable when the call returns.
        """
}
