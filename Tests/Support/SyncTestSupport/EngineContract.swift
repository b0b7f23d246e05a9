// SPDX-License-Identifier: Apache-2.0

import KeychainSynchronization

/// An engine under test, and what a test can do to it.
package struct EngineSubject: Sendable {
    /// The engine.
    package let engine: any SyncEngine
    /// A folder in it that nobody else uses.
    package let folder: String
    /// Lets time pass.
    package let advance: @Sendable (Duration) async throws -> Void
    /// Shortens the history up to now.
    package let compact: @Sendable () async throws -> Void

    /// An engine under test.
    package init(
        _ engine: any SyncEngine,
        folder: String,
        advance: @escaping @Sendable (Duration) async throws -> Void,
        compact: @escaping @Sendable () async throws -> Void
    ) {
        self.engine = engine
        self.folder = folder
        self.advance = advance
        self.compact = compact
    }

    func key(_ name: String) -> EngineKey { EngineKey("\(folder)/\(name)") }

    var all: EngineRange { EngineRange(folder: folder) }

    func value(_ name: String, at position: EnginePosition? = nil) async throws -> EngineValue? {
        try await engine.read([key(name)], at: position).values[key(name)]
    }

    @discardableResult
    func put(
        _ values: [String: [UInt8]],
        if conditions: [EngineTransaction.Condition] = []
    ) async throws
        -> EnginePosition?
    {
        let puts = values.map { EngineTransaction.Put(key($0.key), $0.value) }
        switch try await engine.commit(EngineTransaction(conditions: conditions, puts: puts)) {
        case .committed(let position): return position
        case .conflict: return nil
        }
    }
}

/// What an engine did against the contract.
package struct EngineViolation: Error, CustomStringConvertible {
    /// What is wrong.
    package let description: String
}

/// A rule that every engine keeps; synchronization is correct on each that does.
package struct EngineRule: Sendable, CustomStringConvertible {
    /// What the rule says.
    package let description: String
    /// Checks it.
    package let check: @Sendable (EngineSubject) async throws -> Void

    init(_ description: String, _ check: @escaping @Sendable (EngineSubject) async throws -> Void) {
        self.description = description
        self.check = check
    }

    /// All rules.
    package static let all = ofTransactions + ofReads + ofChanges + ofLimits
}

func demand(_ holds: Bool, _ what: String) throws(EngineViolation) {
    if !holds { throw EngineViolation(description: what) }
}

func demandError(_ wanted: EngineError, _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as EngineError {
        return try demand(error == wanted, "\(error) instead of \(wanted)")
    }
    throw EngineViolation(description: "no error instead of \(wanted)")
}

// MARK: - Transactions

extension EngineRule {
    static let ofTransactions = [
        EngineRule("a transaction happens wholly, or, if one condition does not hold, not at all") { subject in
            let first = try await subject.put(["a": [1]])
            let version = try await subject.value("a")?.version
            try demand(first == version && first != nil, "the version is not the position")
            let conditions: [EngineTransaction.Condition] = [
                .unchanged(subject.key("a"), version ?? EnginePosition(0)), .absent(subject.key("b")),
            ]
            try demand(try await subject.put(["b": [2], "c": [3]], if: conditions) != nil, "conditions that hold")
            try demand(try await subject.put(["b": [4], "d": [5]], if: conditions) == nil, "one that does not hold")
            let values = try await subject.engine.scan(subject.all, at: nil, limit: 10).entries.map(\.value.bytes)
            try demand(values == [[1], [2], [3]], "\(values)")
        },
        EngineRule("another value is another version, the same bytes too, and what was deleted and put again") {
            subject in
            try await subject.put(["a": [1]])
            let old = try await subject.value("a")?.version ?? EnginePosition(0)
            let unchanged = EngineTransaction.Condition.unchanged(subject.key("a"), old)
            try await subject.put(["a": [1]])
            try demand(try await subject.put(["b": [2]], if: [unchanged]) == nil, "the same bytes")
            let new = try await subject.value("a")?.version ?? EnginePosition(0)
            try demand(new > old, "a later version is greater")
            _ = try await subject.engine.commit(EngineTransaction(deletes: [subject.key("a")]))
            let absent = EngineTransaction.Condition.absent(subject.key("a"))
            let gone = EngineTransaction.Condition.unchanged(subject.key("a"), new)
            try demand(try await subject.put([:], if: [gone]) == nil, "a deleted one")
            try demand(try await subject.put(["a": [1]], if: [absent]) != nil, "it is absent")
            try demand(try await subject.put([:], if: [gone]) == nil, "one that was put again")
        },
        EngineRule("of racing transactions on one version exactly one happens") { subject in
            try await subject.put(["count": [0]])
            let done = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var count = 0
                        for _ in 0..<10 {
                            guard let value = try await subject.value("count") else { continue }
                            let same = EngineTransaction.Condition.unchanged(subject.key("count"), value.version)
                            if try await subject.put(["count": [value.bytes[0] + 1]], if: [same]) != nil {
                                count += 1
                            }
                        }
                        return count
                    }
                }
                return try await group.reduce(0, +)
            }
            let count = try await subject.value("count")?.bytes[0]
            try demand(count == UInt8(done) && done >= 10, "\(done) happened, \(count ?? 0) are there")
        },
        EngineRule("a key that a transaction changes twice is refused, and nothing happens") { subject in
            let twice = EngineTransaction(
                puts: [EngineTransaction.Put(subject.key("a"), [1])],
                deletes: [subject.key("a")]
            )
            do {
                _ = try await subject.engine.commit(twice)
                throw EngineViolation(description: "it was not refused")
            } catch EngineError.refused {
                try demand(try await subject.value("a") == nil, "something happened")
            }
        },
    ]
}

// MARK: - Reads

extension EngineRule {
    static let ofReads = [
        EngineRule("bytes come back as they are") { subject in
            let every = (0...255).map(UInt8.init)
            try await subject.put(["every": every, "none": []])
            try demand(try await subject.value("every")?.bytes == every, "all of them")
            try demand(try await subject.value("none")?.bytes.isEmpty == true, "an empty value is one")
            try demand(try await subject.value("other") == nil, "what is not there")
        },
        EngineRule("a range has its keys in the order of their bytes, from its start, below its end") { subject in
            try await subject.put(["a": [1], "a/b": [2], "B": [3], "z": [4], "0": [5]])
            func names(_ range: EngineRange) async throws -> [String] {
                try await subject.engine.scan(range, at: nil, limit: 10).entries.map {
                    String($0.key.text.dropFirst(subject.folder.count + 1))
                }
            }
            let all = try await names(subject.all)
            try demand(all == ["0", "B", "a", "a/b", "z"], "\(all)")
            let part = try await names(EngineRange(from: subject.key("B"), below: subject.key("a/b")))
            try demand(part == ["B", "a"], "\(part)")
            try demand(try await names(EngineRange(folder: subject.folder + "/a")) == ["a/b"], "a folder")
        },
        EngineRule("pages of a range show one state, whatever happens between them") { subject in
            for name in ["a", "b", "c", "d", "e"] { try await subject.put([name: [1]]) }
            let first = try await subject.engine.scan(subject.all, at: nil, limit: 2)
            try demand(first.hasMore && first.entries.count == 2, "the first page")
            try await subject.put(["c": [2], "f": [2]])
            _ = try await subject.engine.commit(EngineTransaction(deletes: [subject.key("d")]))
            let rest = subject.all.after(first.entries[1].key)
            let second = try await subject.engine.scan(rest, at: first.position, limit: 3)
            try demand(second.entries.map(\.value.bytes) == [[1], [1], [1]] && !second.hasMore, "the second page")
            try demand(try await subject.value("d", at: first.position)?.bytes == [1], "a value of then")
            try demand(try await subject.value("d") == nil, "a value of now")
        },
        EngineRule("keys that are read together are of one state") { subject in
            try await subject.put(["a": [0], "b": [0]])
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for byte in 1...20 as ClosedRange<UInt8> { try await subject.put(["a": [byte], "b": [byte]]) }
                }
                group.addTask {
                    for _ in 0..<20 {
                        let values = try await subject.engine.read([subject.key("a"), subject.key("b")], at: nil)
                        try demand(Set(values.values.values.map(\.bytes)).count == 1, "a torn read")
                        let page = try await subject.engine.scan(subject.all, at: nil, limit: 5)
                        try demand(Set(page.entries.map(\.value.bytes)).count == 1, "a torn page")
                    }
                }
                try await group.waitForAll()
            }
        },
        EngineRule("a position that is gone, or never was, is no position") { subject in
            let old = try await subject.put(["a": [1]])
            try await subject.put(["a": [2]])
            let now = try await subject.engine.scan(subject.all, at: nil, limit: 5).position
            let never = EnginePosition(now.number + 9)
            try await demandError(.positionGone) { _ = try await subject.value("a", at: never) }
            try await subject.compact()
            try await demandError(.positionGone) { _ = try await subject.value("a", at: old) }
            try await demandError(.positionGone) {
                _ = try await subject.engine.scan(subject.all, at: old, limit: 5)
            }
            try demand(try await subject.value("a")?.bytes == [2], "the newest state stays")
        },
    ]
}

// MARK: - Changes

extension EngineRule {
    static let ofChanges = [
        EngineRule("changes come whole, in order, and of the range alone, those before the watch too") { subject in
            let start = try await subject.put(["before": [0]]) ?? EnginePosition(0)
            try await subject.put(["a": [1], "b": [1]])
            var changes = subject.engine.changes(in: subject.all, after: start).makeAsyncIterator()
            let first = try await changes.next()
            try demand(
                first?.changes == [subject.key("a"): [1], subject.key("b"): [1]],
                "the first one: \(String(describing: first))"
            )
            let other = EngineTransaction(puts: [EngineTransaction.Put(EngineKey(subject.folder + "-other/a"), [9])])
            _ = try await subject.engine.commit(other)
            _ = try await subject.engine.commit(EngineTransaction(deletes: [subject.key("a")]))
            // Behind it, so that an engine without the delete has something to tell, too.
            try await subject.put(["end": [2]])
            let second = try await changes.next()
            try demand(second?.changes == [subject.key("a"): nil], "the second one: \(String(describing: second))")
            try demand((second?.position ?? start) > (first?.position ?? start), "positions grow")
        },
        EngineRule("changes go on after a position without a gap or a repetition") { subject in
            let start = try await subject.put(["a": [0]]) ?? EnginePosition(0)
            for byte in 1...6 { try await subject.put(["a": [UInt8(byte)]]) }
            var seen: [UInt8] = []
            var position = start
            for _ in 0..<3 {
                var changes = subject.engine.changes(in: subject.all, after: position).makeAsyncIterator()
                for _ in 0..<2 {
                    guard let batch = try await changes.next() else { continue }
                    position = batch.position
                    seen += batch.changes.values.compactMap { $0?.first }
                }
            }
            try demand(seen == [1, 2, 3, 4, 5, 6], "\(seen)")
        },
        EngineRule("a change wakes who waits for one; a cancelled one ends") { subject in
            let start = try await subject.put(["a": [0]]) ?? EnginePosition(0)
            let waiting = Task {
                var changes = subject.engine.changes(in: subject.all, after: start).makeAsyncIterator()
                return try await changes.next()?.changes
            }
            await Task.yield()
            try await subject.put(["a": [1]])
            try demand(try await waiting.value == [subject.key("a"): [1]], "it was not told")
            let now = try await subject.engine.scan(subject.all, at: nil, limit: 5).position
            let cancelled = Task {
                var changes = subject.engine.changes(in: subject.all, after: now).makeAsyncIterator()
                return try await changes.next()
            }
            await Task.yield()
            cancelled.cancel()
            try demand(try await cancelled.value == nil, "a cancelled one has no change")
        },
        EngineRule("changes after a position that is gone say so") { subject in
            let start = try await subject.put(["a": [0]]) ?? EnginePosition(0)
            for byte in 1...3 { try await subject.put(["a": [UInt8(byte)]]) }
            try await subject.compact()
            try await demandError(.positionGone) {
                var changes = subject.engine.changes(in: subject.all, after: start).makeAsyncIterator()
                _ = try await changes.next()
            }
        },
    ]
}

// MARK: - Limits

extension EngineRule {
    static let ofLimits = [
        EngineRule("a value with a lifetime expires, and that is a change") { subject in
            let start = try await subject.put(["stays": [0]]) ?? EnginePosition(0)
            let put = EngineTransaction.Put(subject.key("goes"), [1], lifetime: .seconds(2))
            _ = try await subject.engine.commit(EngineTransaction(puts: [put]))
            try demand(try await subject.value("goes")?.bytes == [1], "it is there first")
            try await subject.advance(.seconds(5))
            try demand(try await subject.value("goes") == nil, "it expired")
            try demand(try await subject.value("stays") != nil, "the other one did not")
            try await subject.put(["end": [2]])
            var changes = subject.engine.changes(in: subject.all, after: start).makeAsyncIterator()
            _ = try await changes.next()
            try demand(try await changes.next()?.changes == [subject.key("goes"): nil], "nobody was told")
            try demand(try await subject.put(["goes": [2]], if: [.absent(subject.key("goes"))]) != nil, "put again")
        },
        EngineRule("what is as large as the limits fits, and what is larger changes nothing") { subject in
            let limits = try await subject.engine.limits()
            try demand(limits.valueByteCount >= 512 * 1024, "values of records")
            try demand(limits.transactionByteCount >= 1024 * 1024, "records of a commit")
            try demand(limits.operationCount >= 64, "changes of a commit")
            let large = [UInt8](repeating: 7, count: 512 * 1024)
            try await subject.put(["large": large, "second": Array(large.dropLast(4_096))])
            try demand(try await subject.value("large")?.bytes == large, "a value of the limit")
            let tooLarge = [UInt8](repeating: 7, count: limits.valueByteCount + 1)
            try await demandError(.tooLarge) { _ = try await subject.put(["more": tooLarge, "small": [1]]) }
            var many = EngineTransaction()
            for number in 0...limits.operationCount {
                many.puts.append(EngineTransaction.Put(subject.key("many\(number)"), [1]))
            }
            try await demandError(.tooLarge) { _ = try await subject.engine.commit(many) }
            many.puts.removeLast()
            try demand(try await subject.value("small") == nil, "nothing of it")
            try demand(try await subject.value("many0") == nil, "nothing of them")
            try demand(try await subject.engine.commit(many) != .conflict, "as many as the limit")
        },
    ]
}
