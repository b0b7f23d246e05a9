// SPDX-License-Identifier: Apache-2.0

/// One way to the store of a keychain: an engine with a connection of its own, and the turn of who uses it.
final class Lane: Sendable {
    let turn = Turn()
    let opened = OpenEngine()
}

/// The ways to the store of a keychain: in a folder one to read and one to change, so that reading waits for no change;
/// in memory, where there is one connection, the same for both.
struct Lanes: Sendable {
    let reading: Lane
    let changing: Lane

    private let turnsOfReading: Turns
    private let turnsOfChanging: Turns
    private let turnsOfBoth: Turns

    init(areSeparate: Bool) {
        changing = Lane()
        reading = areSeparate ? Lane() : changing
        turnsOfReading = Turns([reading.turn])
        turnsOfChanging = Turns([changing.turn])
        turnsOfBoth = areSeparate ? Turns([reading.turn, changing.turn]) : turnsOfChanging
    }

    /// Each of them, once.
    var all: [Lane] { reading === changing ? [changing] : [reading, changing] }

    /// The way for a use.
    subscript(use: EngineAccess.Use) -> Lane {
        switch use {
        case .reading, .observing: reading
        case .changing, .alone: changing
        }
    }

    /// What a use takes.
    func turns(_ use: EngineAccess.Use) -> Turns {
        switch use {
        case .reading, .observing: turnsOfReading
        case .changing: turnsOfChanging
        case .alone: turnsOfBoth
        }
    }
}
