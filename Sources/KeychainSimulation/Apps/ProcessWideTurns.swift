// SPDX-License-Identifier: Apache-2.0

/// Whose turn it is to have the process-wide app, who waits for it, and which apps were put in its place.
struct ProcessWideTurns: ~Copyable {
    typealias Continuation = CheckedContinuation<Void, any Error>

    /// What came of asking for the turn.
    enum Outcome {
        case entered
        case waits
        case cancelled
    }

    private enum Holder: Equatable {
        case nobody
        /// Set without a scope.
        case process
        case scope(UInt64)
    }

    private var holder = Holder.nobody
    private var waiting: [(ticket: UInt64, app: App?, continuation: Continuation)] = []
    private var apps: [(place: UInt64, app: App)] = []
    private var lastTicket: UInt64 = 0

    /// The app that was put last, and not taken away yet.
    var current: App? { apps.last?.app }

    /// Whether somebody waits to have this app in the turn.
    func isAwaited(_ app: App) -> Bool { waiting.contains { $0.app === app } }

    mutating func makeTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    /// Takes the turn, or a place in the line.
    mutating func enter(_ ticket: UInt64, _ app: App?, _ continuation: Continuation) -> Outcome {
        guard holder == .nobody else {
            waiting.append((ticket, app, continuation))
            return .waits
        }
        holder = .scope(ticket)
        return .entered
    }

    /// Leaves the line.
    ///
    /// - Returns: What to resume; `nil` for who is not in the line any more.
    mutating func leave(_ ticket: UInt64) -> Continuation? {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return waiting.remove(at: index).continuation
    }

    mutating func begin(_ app: App?, in turn: UInt64) { apps = app.map { [(turn, $0)] } ?? [] }

    /// Puts an app in the place of that of the scope that the caller is in.
    ///
    /// - Returns: Its place; `nil` when that scope is over.
    mutating func nest(_ app: App, in turn: UInt64) -> UInt64? {
        guard holder == .scope(turn) else { return nil }
        let place = makeTicket()
        apps.append((place, app))
        return place
    }

    mutating func remove(_ place: UInt64) { apps.removeAll { $0.place == place } }

    /// Ends a turn, and gives it to who waits longest.
    ///
    /// - Returns: What to resume.
    mutating func end() -> Continuation? {
        apps = []
        holder = .nobody
        guard !waiting.isEmpty else { return nil }
        let next = waiting.removeFirst()
        holder = .scope(next.ticket)
        return next.continuation
    }

    /// - Returns: Whether nobody was in a scope.
    mutating func set(_ app: App) -> Bool {
        switch holder {
        case .scope: return false
        case .nobody, .process:
            holder = .process
            apps = [(makeTicket(), app)]
            return true
        }
    }

    mutating func unset() -> Continuation? { holder == .process ? end() : nil }
}
