// SPDX-License-Identifier: Apache-2.0

/// What those who pass on a command, log it, or decide who may send it have to know of it.
///
/// Each command has one row, in ``KeychainCommand/row``. Client, router, server, daemon, audit and simulation read it;
/// none of them tells commands apart for a reason of this kind by itself.
package struct CommandRow: Sendable, Hashable {
    /// What kind of service carries it out.
    package let family: CommandFamily

    /// The name, in a log; of a call of an item function, the name of the function.
    package let name: String

    /// What holds of the command.
    package let traits: Traits

    /// What it does with the store.
    package let storeUse: StoreUse

    /// Which of the programs that a daemon serves may send it.
    package let right: Right

    /// A row.
    init(
        _ family: CommandFamily,
        _ name: String,
        _ traits: Traits = [],
        store storeUse: StoreUse = .needs,
        right: Right
    ) {
        self.family = family
        self.name = name
        self.traits = traits
        self.storeUse = storeUse
        self.right = right
    }

    /// What a command does with the store.
    package enum StoreUse: Sendable, Hashable {
        /// It is carried out without a look at the store, and so cannot notice another owner of it.
        case none
        /// It looks for something; where there is no store, there is nothing, and none is made.
        case looks
        /// It makes a store where there is none, or fails.
        case needs
    }

    /// What holds of a command.
    package struct Traits: OptionSet, Sendable, Hashable {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// It leaves everything as it is, so that it may be sent once more when no answer came.
        ///
        /// A signature changes nothing either, and is left out: the owner may be asked for it.
        package static let changesNothing = Traits(rawValue: 1 << 0)
        /// The owner of the device may be asked in the course of it.
        package static let mayPrompt = Traits(rawValue: 1 << 1)
        /// It goes before others that wait, because it may be what ends them.
        package static let isUrgent = Traits(rawValue: 1 << 2)
        /// It ends an authentication context or a part of one, which counts for nothing where the context is not known.
        package static let endsContext = Traits(rawValue: 1 << 3)
        /// The device accepts it only with the right passcode.
        package static let provesPasscode = Traits(rawValue: 1 << 4)
        /// It locks the device.
        package static let locksDevice = Traits(rawValue: 1 << 5)
        /// It has whoever carries it out open a path that the program names.
        package static let opensPath = Traits(rawValue: 1 << 6)
        /// Anything may be in the keychain afterwards, so that all programs have to read again.
        package static let replacesItems = Traits(rawValue: 1 << 7)
        /// It is not logged: it requests nothing, or is a look at the log itself, which would never end.
        package static let isUnlogged = Traits(rawValue: 1 << 8)
        /// It may have changed items although it failed.
        package static let changesWhenItFails = Traits(rawValue: 1 << 9)
        /// The contexts that it names will not be named again.
        package static let releasesContext = Traits(rawValue: 1 << 10)
    }

    /// Which of the programs that a daemon serves may send a command.
    package enum Right: Sendable, Hashable {
        /// Every program, for the items of its own access groups.
        case everyProgram
        /// Programs that are in no sandbox; the text names what is kept from the others.
        case outsideOfSandbox(String)
        /// A program outside of sandboxes that has entered the passcode.
        case passcode(String)
        /// The owner of the keychain: a program that has entered the passcode, or whose manifest makes it the owner.
        case owner
    }
}

extension KeychainCommand {
    /// Whether something holds of the command.
    package func has(_ trait: CommandRow.Traits) -> Bool { row.traits.contains(trait) }
}
