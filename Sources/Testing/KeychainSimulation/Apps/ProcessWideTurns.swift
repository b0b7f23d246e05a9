// SPDX-License-Identifier: Apache-2.0

/// Decides which tests may run: one test with the process-wide app, or any number of tests with apps of their own.
///
/// A fair readers–writer lock, whose readers are the tests with apps of their own.
struct ProcessWideTurns: ~Copyable {
    typealias Continuation = CheckedContinuation<Void, any Error>

    /// The kinds of requests.
    enum Turn {
        /// To run concurrently with others, without a process-wide app.
        case shared
        /// To run exclusively, with a process-wide app or with none.
        case exclusive(App?)
    }

    /// The result of a request.
    enum Outcome {
        case entered
        case waits
        case cancelled
    }

    /// A process-wide app, and the test that it is for, if that is known.
    struct Entry {
        let place: UInt64
        let app: App
        let test: String?
    }

    /// The holder of the exclusive turn.
    private var exclusive: UInt64?
    /// Whether an app was set without a scope.
    private var isSet = false
    /// The holders of shared turns.
    private var shared: Set<UInt64> = []
    /// The open scopes of shared turns, with the number of calls in each that wait for, or hold, an exclusive turn.
    private var scopes: [UInt64: Int] = [:]
    private var waiting: [(ticket: UInt64, turn: Turn, continuation: Continuation)] = []
    /// The names of the waiting and running tests, if known.
    private var names: [UInt64: String] = [:]
    private var lastChange = ContinuousClock.now
    /// Whether the waiting tests were reported since the last change.
    private var isReported = false
    private var entries: [Entry] = []
    private var lastTicket: UInt64 = 0

    /// The innermost process-wide app.
    var current: Entry? { entries.last }

    /// The app that is set without a scope.
    var setApp: App? { isSet ? entries.last?.app : nil }

    /// Whether a test waits for an exclusive turn with this app.
    func isAwaited(_ app: App) -> Bool {
        waiting.contains { if case .exclusive(let other) = $0.turn { other === app } else { false } }
    }

    /// The number of waiting tests.
    var waitingCount: Int { waiting.count }

    mutating func makeTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    /// Takes a turn, or a place in the queue, for a test or an unknown caller.
    mutating func enter(
        _ ticket: UInt64,
        for turn: Turn,
        of test: String?,
        resuming continuation: Continuation
    ) -> Outcome {
        names[ticket] = test
        guard waiting.isEmpty, isFree(for: turn) else {
            waiting.append((ticket, turn, continuation))
            return .waits
        }
        admit(ticket, turn)
        return .entered
    }

    private func isFree(for turn: Turn) -> Bool {
        guard exclusive == nil, !isSet else { return false }
        return if case .shared = turn { true } else { shared.isEmpty }
    }

    private mutating func admit(_ ticket: UInt64, _ turn: Turn) {
        recordChange()
        switch turn {
        case .shared: shared.insert(ticket)
        case .exclusive: exclusive = ticket
        }
    }

    /// Leaves the queue.
    ///
    /// - Returns: The continuations to resume; `nil` if it is no longer in the queue.
    mutating func leave(_ ticket: UInt64) -> [Continuation] {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return [] }
        names[ticket] = nil
        return [waiting.remove(at: index).continuation]
    }

    /// Admits the requests at the head of the queue whose turn has come.
    ///
    /// - Returns: The continuations to resume.
    mutating func admitNext() -> [Continuation] {
        var admitted: [Continuation] = []
        while let next = waiting.first, isFree(for: next.turn) {
            admit(next.ticket, next.turn)
            admitted.append(next.continuation)
            waiting.removeFirst()
        }
        return admitted
    }
}

// Scopes of shared turns.
extension ProcessWideTurns {
    mutating func beginScope(_ ticket: UInt64) { scopes[ticket] = 0 }

    mutating func endScope(_ ticket: UInt64) -> [Continuation] {
        scopes[ticket] = nil
        names[ticket] = nil
        shared.remove(ticket)
        recordChange()
        return admitNext()
    }

    /// Gives up the shared turn of a scope while a call in it waits for an exclusive one: two scopes that kept theirs
    /// would deadlock.
    mutating func releaseTurn(of scope: UInt64) -> [Continuation] {
        guard let count = scopes[scope] else { return [] }
        scopes[scope] = count + 1
        shared.remove(scope)
        recordChange()
        return admitNext()
    }

    /// Returns the shared turn to the scope of a call that held an exclusive one, before any other request is admitted.
    mutating func restoreTurn(of scope: UInt64) {
        guard let count = scopes[scope] else { return }
        scopes[scope] = count - 1
        if count == 1 { shared.insert(scope) }
    }
}

// Exclusive turns.
extension ProcessWideTurns {
    mutating func begin(_ app: App?, of test: String?, in turn: UInt64) {
        entries = app.map { [Entry(place: turn, app: $0, test: test)] } ?? []
    }

    /// Replaces the app of the exclusive turn that the caller holds.
    ///
    /// - Returns: Its position; `nil` if that turn has ended.
    mutating func nest(_ app: App, of test: String?, in turn: UInt64) -> UInt64? {
        guard exclusive == turn else { return nil }
        let place = makeTicket()
        entries.append(Entry(place: place, app: app, test: test))
        return place
    }

    mutating func remove(_ place: UInt64) { entries.removeAll { $0.place == place } }

    /// Ends an exclusive turn, which was taken within the scope of a shared one or outside of any.
    ///
    /// - Returns: The continuations to resume.
    mutating func end(within scope: UInt64?) -> [Continuation] {
        entries = []
        if let exclusive { names[exclusive] = nil }
        exclusive = nil
        recordChange()
        if let scope { restoreTurn(of: scope) }
        return admitNext()
    }

    /// Sets the app of the process without a scope.
    ///
    /// - Returns: Whether it was set: no test of the trait runs, and no scope is open.
    mutating func set(_ app: App) -> Bool {
        guard exclusive == nil, shared.isEmpty else { return false }
        isSet = true
        recordChange()
        entries = [Entry(place: makeTicket(), app: app, test: nil)]
        return true
    }

    mutating func unset() -> [Continuation] {
        guard isSet else { return [] }
        isSet = false
        entries = []
        recordChange()
        return admitNext()
    }
}

// Detects which requests wait for which.
extension ProcessWideTurns {
    /// The action for a request that has waited for some time.
    enum Patience {
        /// Nothing: it has left the queue, or was reported already.
        case over
        /// Check again later: the queue has moved.
        case goesOn
        /// Report who waits for whom.
        case ended(String)
    }

    private mutating func recordChange() {
        lastChange = .now
        isReported = false
    }

    /// Whether nothing has changed for this many seconds while requests wait.
    mutating func patience(of ticket: UInt64, after seconds: Double) -> Patience {
        guard waiting.contains(where: { $0.ticket == ticket }) else { return .over }
        guard lastChange.duration(to: .now) >= .seconds(seconds) else { return .goesOn }
        guard !isReported, let first = waiting.first else { return .over }
        isReported = true
        let others = waiting.count > 1 ? " and \(waiting.count - 1) others" : ""
        return .ended(
            "For \(Int(seconds)) s \(name(first.ticket))\(others) waited for a turn with the keychain, while \(holders)."
        )
    }

    private var holders: String {
        if isSet { return "the app of ProcessWideApp.set is set, which only ProcessWideApp.unset() ends" }
        if let exclusive { return "\(name(exclusive)) has the app of the process, or waits to have none" }
        var running: [String] = []
        for ticket in shared.sorted() { running.append(name(ticket)) }
        let more = running.count > 5 ? " and \(running.count - 5) others" : ""
        return "these ran with devices of their own: \(running.prefix(5).joined(separator: ", "))\(more)"
    }

    private func name(_ ticket: UInt64) -> String { names[ticket] ?? "code of an unknown test" }
}
