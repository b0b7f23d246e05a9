// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore

/// The options that choose among passwords.
struct ItemFilter: ParsableArguments {
    @Option(name: .shortAndLong, help: "The account; the name is the service then, with all of its slashes.")
    var account: String?

    @Option(name: .customLong("class"), help: "Only generic passwords, or those of servers.")
    var itemClass: PasswordClass?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Only items of this access group; else those of all.", valueName: "group")
    )
    var group: String?

    @OptionGroup var address: AddressFilter

    /// Whether no option was given.
    var isEmpty: Bool { account == nil && itemClass == nil && group == nil && address.parts.isEmpty }

    /// The options, for a message.
    static let options = "--account, --class, --group, --protocol, --port and --path"

    func validate() throws {
        guard itemClass != .generic || address.parts.isEmpty else { throw AddressFilter.genericError }
    }
}

/// The options for the address of a server.
struct AddressFilter: ParsableArguments {
    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp("The protocol of a server's password, such as https; '' for none.", valueName: "protocol")
    )
    var scheme: String?

    @Option(help: "The port of a server's password; 0 for none.")
    var port: UInt16?

    @Option(help: "The path of a server's password; '' for none.")
    var path: String?

    /// What was given.
    var parts: [AddressPart: String] {
        var parts: [AddressPart: String] = [:]
        parts[.scheme] = scheme
        parts[.port] = port.map { AddressPart.port.normalized("\($0)") }
        parts[.path] = path
        return parts
    }

    /// Only passwords for servers have an address.
    static let genericError = ValidationError("--protocol, --port and --path are for --class internet.")
}
