// SPDX-License-Identifier: Apache-2.0

/// Kinds of commands, by which a keychain names those that it serves.
package struct CommandFamily: OptionSet, Sendable, Hashable {
    /// One bit a kind.
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
    /// Looking after the store.
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
