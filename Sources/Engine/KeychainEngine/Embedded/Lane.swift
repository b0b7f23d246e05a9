// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// One connection to the store of a keychain: an engine, and the lock that a thread holds while it uses it.
final class Lane: Sendable {
    let turn: Turn
    let opened: OpenEngine

    init() {
        turn = Turn()
        opened = OpenEngine(turn)
    }
}

/// The connections to the store of a keychain: in a folder one for changes and one or more for reading, so that reads
/// do not wait for changes; in memory a single one for both.
struct Lanes: Sendable {
    let changing: Lane
    private let reading: [Lane]

    private let turnOfChanging: Turns
    private let turnsOfReading: Turns
    private let everyTurn: Turns

    /// The connection to a store in memory.
    init() {
        let only = Lane()
        self.init(changing: only, reading: [only])
    }

    /// The connections to a store in a folder; each one for reading is opened when those before it are in use.
    init(readers: Int) { self.init(changing: Lane(), reading: (0..<max(1, readers)).map { _ in Lane() }) }

    private init(changing: Lane, reading: [Lane]) {
        self.changing = changing
        self.reading = reading
        turnOfChanging = Turns([changing.turn])
        turnsOfReading = Turns(reading.map(\.turn))
        everyTurn = Turns(Self.all(changing, reading).map(\.turn))
    }

    /// Every connection, once.
    var all: [Lane] { Self.all(changing, reading) }

    private static func all(_ changing: Lane, _ reading: [Lane]) -> [Lane] {
        reading.filter { $0 !== changing } + [changing]
    }

    /// Runs `body` with the connection that a use needs: the one for changes, one for reading, or all of them.
    ///
    /// - Throws: As ``Turns/withTurn(until:_:)``.
    func withConnections<Result>(
        _ use: EngineAccess.Use,
        for share: UInt64? = nil,
        until deadline: Deadline? = nil,
        _ body: (Lane) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        switch use {
        case .reading, .observing, .preparing:
            try turnsOfReading.withOneTurn(for: share, until: deadline) { (index) throws(KeychainError) in
                try body(reading[index])
            }
        case .changing, .changingStored:
            try turnOfChanging.withTurn(for: share, until: deadline) { () throws(KeychainError) in try body(changing) }
        case .exclusive:
            try everyTurn.withTurn(for: share, until: deadline) { () throws(KeychainError) in try body(changing) }
        }
    }

    /// How many calls wait for a connection, for tests.
    var waitingCount: Int { everyTurn.waitingCount }

    /// Waits until each connection has been free once, for no longer than this all in all.
    func waitForEach(milliseconds: Int32) {
        let deadline = Deadline(milliseconds: milliseconds)
        for lane in all { try? Turns([lane.turn]).withTurn(until: deadline) {} }
    }
}
