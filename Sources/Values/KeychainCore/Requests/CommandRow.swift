// SPDX-License-Identifier: Apache-2.0

/// The properties of a command that matter for forwarding it, logging it, and authorizing its sender.
///
/// Each command has one row, in ``KeychainCommand/row``. Client, router, server, daemon, audit and simulation read it;
/// none of them distinguishes commands by itself for such reasons.
package struct CommandRow: Sendable, Hashable {
    /// The kind of service that performs it.
    package let family: CommandFamily

    /// The name, in a log; of a call of an item function, the name of the function.
    package let name: String

    /// The properties of the command.
    package let traits: Traits

    /// How it uses the store.
    package let storeUse: StoreUse

    /// Which of the programs that a daemon serves may send it.
    package let right: Right

    /// A row.
    init(
        _ family: CommandFamily,
        _ name: String,
        traits: Traits = [],
        store storeUse: StoreUse = .needs,
        right: Right
    ) {
        self.family = family
        self.name = name
        self.traits = traits
        self.storeUse = storeUse
        self.right = right
    }

    /// How a command uses the store.
    package enum StoreUse: Sendable, Hashable {
        /// It is performed without reading the store, and so cannot detect another owner of it.
        case none
        /// It searches for something; if there is no store, there is nothing, and none is created.
        case looks
        /// It creates a store if there is none, or fails.
        case needs
    }

    /// The properties of a command.
    package struct Traits: OptionSet, Sendable, Hashable {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// It changes nothing, so that it may be sent again if there was no reply.
        ///
        /// A signature changes nothing either, but is not included: the owner may be prompted for it.
        package static let changesNothing = Traits(rawValue: 1 << 0)
        /// The owner of the device may be prompted during its execution.
        package static let mayPrompt = Traits(rawValue: 1 << 1)
        /// It takes precedence over waiting commands, because it may end them.
        package static let isUrgent = Traits(rawValue: 1 << 2)
        /// It ends an authentication context or a part of one, and has no effect if the context is unknown.
        package static let endsContext = Traits(rawValue: 1 << 3)
        /// The device accepts it only with the right passcode.
        package static let provesPasscode = Traits(rawValue: 1 << 4)
        /// It locks the device.
        package static let locksDevice = Traits(rawValue: 1 << 5)
        /// The process that performs it opens a path that the program specifies.
        package static let opensPath = Traits(rawValue: 1 << 6)
        /// Anything may be in the keychain afterwards, so that all programs have to read again.
        package static let replacesItems = Traits(rawValue: 1 << 7)
        /// It is not logged: it requests nothing, or reads the log itself, which would never end.
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
        /// Programs outside a sandbox; the text describes what the others are denied.
        case outsideOfSandbox(String)
        /// A program outside of sandboxes that has entered the passcode.
        case passcode(String)
        /// Programs outside a sandbox; in the system service only one that has entered the passcode, if one is set.
        case passcodeOfSystemService(String)
        /// The owner of the keychain: a program that has entered the passcode, or whose manifest makes it the owner.
        case owner
    }
}

extension KeychainCommand {
    /// Whether the command has a property.
    package func has(_ trait: CommandRow.Traits) -> Bool { row.traits.contains(trait) }
}

/// Kinds of commands, with which a keychain declares the ones that it serves.
package struct CommandFamily: OptionSet, Sendable, Hashable {
    /// One bit for each kind.
    package let rawValue: UInt8

    /// Kinds by their bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Calls of item functions, and their explanations.
    package static let items = CommandFamily(rawValue: 1 << 0)
    /// Lock, passcode and policy of the device.
    package static let device = CommandFamily(rawValue: 1 << 1)
    /// Authentication contexts.
    package static let authentication = CommandFamily(rawValue: 1 << 2)
    /// Keys that never leave the device.
    package static let enclave = CommandFamily(rawValue: 1 << 3)
    /// Maintenance of the store.
    package static let maintenance = CommandFamily(rawValue: 1 << 4)
    /// File-based keychains.
    package static let files = CommandFamily(rawValue: 1 << 5)
    /// The commands of the system service only: to take over users' keychains, to return them, and to show its log.
    package static let move = CommandFamily(rawValue: 1 << 6)

    /// The families of a data protection keychain other than the system service.
    package static let dataProtection: CommandFamily = [.items, .device, .authentication, .enclave, .maintenance]

    /// Every kind.
    package static let all: CommandFamily = [dataProtection, .files, .move]
}

extension KeychainError {
    /// A command of a family that the keychain does not serve: `errSecUnimplemented`.
    package static func unserved(_ command: KeychainCommand) -> KeychainError {
        let row = command.row
        let reason =
            switch row.family {
            case .files: "keychain files are served by a daemon of their own, 'keychaind --files'"
            case .move: "only the system service, 'keychaind --system', does that"
            default: "it is for a data protection keychain, and not for keychain files"
            }
        return KeychainError(.unimplemented, "this keychain does not serve '\(row.name)': \(reason)")
    }
}
