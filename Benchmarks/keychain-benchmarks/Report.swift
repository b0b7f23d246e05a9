// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The results as Markdown, and how they compare with the aims.
struct Report {
    private var judgements: [Judgement] = []

    /// One aim and what was measured.
    private struct Judgement {
        let aim: String
        let measured: Double
        let limit: Double
        /// Whether the limit is the least, and not the most.
        let isLeast: Bool

        var isMet: Bool { isLeast ? measured >= limit : measured <= limit }
    }

    /// Prints at once, for whoever waits.
    static func show(_ text: String) {
        print(text)
        fflush(nil)
    }

    static func heading(_ options: Options, _ scratch: Scratch) -> String {
        """
        Medians of \(options.rounds) interleaved rounds, in \(scratch.folder); times in microseconds.

        | N | operation | raw | raw+GCM | engine | SecItem | engine ÷ raw+GCM | SecItem ÷ raw+GCM |
        | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |
        """
    }

    /// The times of one operation by one clock.
    ///
    /// The samples are those of the contenders in their order.
    mutating func row(_ operation: Operation, on clock: Clock, size: Int, samples: Samples) -> String {
        let name = operation.rawValue + (operation.isDurable && clock == .processor ? ", processor only" : "")
        let what = "\(name), N = \(size)"
        let times = Contender.allCases.indices.map { String(format: "%.1f", samples.median(clock, $0) / 1000) }
        let engine = compared(
            "\(what), engine ÷ raw+GCM",
            with: samples.ratio(clock, 2, to: 1),
            limit: operation.engineLimit(clock)
        )
        let secItem = compared(
            "\(what), SecItem ÷ raw+GCM",
            with: samples.ratio(clock, 3, to: 1),
            limit: operation.secItemLimit(clock)
        )
        return Self.row(["\(size)", name] + times + [engine, secItem])
    }

    static let growthHeading = """

        From the smallest to the largest store, in turns:

        | operation | N | raw+GCM grows | engine grows |
        | --- | --- | ---: | ---: |
        """

    mutating func growth(
        of operation: Operation,
        on clock: Clock,
        across sizes: String,
        raw: Double,
        engine: Double
    ) -> String {
        let name = operation.rawValue + (operation.isDurable && clock == .processor ? ", processor only" : "")
        let limit = operation.isDurable ? 1.1 : 1.2
        let cell = compared("\(name) grows, \(sizes)", with: engine, limit: limit)
        return Self.row([name, sizes, Self.number(raw), cell])
    }

    static let footprintHeading = """

        What the keychain's file takes:

        | N | WAL pages an add, mean | median | at most | mean with a label | bytes a row | of which |
        | ---: | ---: | ---: | ---: | ---: | ---: | --- |
        """

    mutating func footprint(_ size: Int, _ footprint: Footprint) -> String {
        let pages = compared("WAL pages an add, N = \(size)", with: footprint.pagesPerAdd.mean, limit: 6)
        // A few items do not fill the pages that every store has.
        let space = compared(
            "bytes a row, N = \(size)",
            with: footprint.bytesPerRow.rounded(),
            limit: size < 1000 ? nil : 1024
        )
        let parts = footprint.parts.map { "\($0.name) \(Int($0.bytesPerRow.rounded()))" }
        let median = Samples.median(footprint.pagesPerAdd.map(Double.init))
        return Self.row(
            [
                "\(size)", pages, Self.number(median), "\(footprint.pagesPerAdd.max() ?? 0)",
                Self.number(footprint.pagesPerLabelledAdd.mean), space, parts.joined(separator: ", "),
            ])
    }

    static func millionHeading(_ size: Int, seconds: Double) -> String {
        """
        The engine with \(size) items, which were added in \(Int(seconds)) s:

        | operation | 100 items (µs) | \(size) items (µs) | grows |
        | --- | ---: | ---: | ---: |
        """
    }

    /// The time of opening a store and reading one item, in nanoseconds.
    mutating func opening(_ size: Int, _ time: Double) -> String {
        let cell = compared("open with \(size) items (ms)", with: time / 1e6, limit: 10)
        return Self.row(["open and read one item (ms)", "", cell, ""])
    }

    /// An operation on a small store, participant 0, and on one with very many items.
    mutating func million(_ operation: Operation, on clock: Clock, size: Int, samples: Samples) -> String {
        let name = operation.rawValue + (operation.isDurable && clock == .processor ? ", processor only" : "")
        let times = [0, 1].map { String(format: "%.1f", samples.median(clock, $0) / 1000) }
        let limit = operation.isDurable ? 1.5 : 2.5
        let growth = compared("\(name) grows, 100 → \(size)", with: samples.ratio(clock, 1, to: 0), limit: limit)
        return Self.row([name] + times + [growth])
    }

    static func deviceHeading(size: Int, rounds: Int) -> String {
        """
        Medians of \(rounds) rounds.

        | N | what | measured |
        | ---: | --- | --- |
        """
    }

    /// The time of an unlock in nanoseconds, with the derivation of the passcode's key and without.
    mutating func unlock(_ size: Int, whole: Double, rest: Double) -> String {
        let derivation = Self.row(["\(size)", "unlock, derivation (ms)", Self.number((whole - rest) / 1e6)])
        let judged = compared("unlock without the derivation (ms), N = \(size)", with: rest / 1e6, limit: 5)
        return derivation + "\n" + Self.row(["\(size)", "unlock, the rest (ms)", judged])
    }

    /// How long a locked device's answer takes, beside a read that succeeds.
    mutating func lockedAnswer(atSize size: Int, of subject: String, ratio: Double) -> String {
        let judged = compared("locked answer ÷ read, \(subject), N = \(size)", with: ratio, limit: 1.2)
        return Self.row(["\(size)", "locked answer ÷ read, \(subject)", judged])
    }

    static func explanationHeading(size: Int, rounds: Int) -> String {
        """
        \(size) generic passwords of one service, medians of \(rounds) rounds; the processor's time.

        | what | ms |
        | --- | ---: |
        """
    }

    /// The time of one call in nanoseconds, and how long it may take.
    mutating func explanation(_ what: String, took time: Double, atMost limit: Double?) -> String {
        Self.row([what, compared("\(what) (ms)", with: time / 1e6, limit: limit.map { $0 / 1e6 })])
    }

    static func identityHeading(rounds: Int) -> String {
        """
        Medians of \(rounds) interleaved rounds; the processor's time.

        | certificates | what | measured |
        | ---: | --- | --- |
        """
    }

    /// The time of a lookup in nanoseconds.
    func identity(_ size: Int, _ time: Double) -> String {
        Self.row(["\(size)", "identity by issuer (µs)", Self.number(time / 1000)])
    }

    /// How much longer a lookup takes in the larger store.
    mutating func identityGrowth(_ sizes: String, _ ratio: Double) -> String {
        Self.row([
            sizes, "identity by issuer grows", compared("identity by issuer grows, \(sizes)", with: ratio, limit: 2.5),
        ])
    }

    static func keyHeading(rounds: Int) -> String {
        """
        Medians of \(rounds) interleaved rounds; times in microseconds of the processor.

        | operation | swift-crypto | SecKey | SecKey ÷ swift-crypto |
        | --- | ---: | ---: | ---: |
        """
    }

    /// The times of one operation of a key in nanoseconds.
    mutating func key(_ name: String, library: Double, secKey: Double, ratio: Double, limit: Double?) -> String {
        let times = [library, secKey].map { String(format: "%.1f", $0 / 1000) }
        return Self.row([name] + times + [compared("\(name), SecKey ÷ swift-crypto", with: ratio, limit: limit)])
    }

    static func testingHeading(rounds: Int) -> String {
        """
        Medians of \(rounds) interleaved rounds; times in microseconds. The aim is for the processor's time.

        | in memory | raw SQLite | device, of the wall | fastest round | device, aim 1000 | device ÷ raw SQLite |
        | --- | ---: | ---: | ---: | ---: | ---: |
        """
    }

    /// What a device for a test costs beside a database, participant 0, and its aim.
    mutating func testing(_ name: String, _ samples: Samples) -> String {
        let times = [
            samples.median(.processor, 0), samples.median(.wall, 1), samples.fastest(.processor, 1),
        ]
        let device = compared("\(name), in microseconds", with: samples.median(.processor, 1) / 1000, limit: 1000)
        let ratio = Self.number(samples.ratio(.processor, 1, to: 0))
        return Self.row([name] + times.map { String(format: "%.0f", $0 / 1000) } + [device, ratio])
    }

    /// How many aims are met, and which are not.
    var summary: String {
        let over = judgements.filter { !$0.isMet }
        let lines = over.map { "\n- \($0.aim): \(Self.number($0.measured)), aim \(Self.number($0.limit))" }
        return "\n\(judgements.count - over.count) of \(judgements.count) aims met.\n" + lines.joined()
    }

    /// A number, and how it compares with its aim, if it has one.
    mutating func compared(_ aim: String, with measured: Double, limit: Double?, isLeast: Bool = false) -> String {
        guard let limit else { return Self.number(measured) }
        let judgement = Judgement(aim: aim, measured: measured, limit: limit, isLeast: isLeast)
        judgements.append(judgement)
        let verdict = judgement.isMet ? "PASS" : isLeast ? "under" : "over"
        return "\(Self.number(measured)) (\(verdict), aim \(Self.number(limit)))"
    }

    static func row(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }

    static func number(_ value: Double) -> String {
        value == value.rounded() ? String(format: "%.0f", value) : String(format: "%.2f", value)
    }
}

extension Operation {
    /// The clocks by which it is reported.
    ///
    /// A read of what lies in memory waits for nothing, so that only the processor's time says something about it.
    var clocks: [Clock] { isDurable ? [.wall, .processor] : [.processor] }

    /// How many times the cost of raw SQLite with the least cryptography the engine may take; `nil` without an aim.
    fileprivate func engineLimit(_ clock: Clock) -> Double? {
        switch self {
        case .add: 1.5
        case .readByPrimaryKey: 4
        case .update: clock == .processor ? 2.5 : nil
        case .delete: clock == .processor ? 2 : nil
        default: nil
        }
    }

    /// The same for the functions of the module Security.
    fileprivate func secItemLimit(_ clock: Clock) -> Double? { self == .readByPrimaryKey ? 6 : nil }
}
