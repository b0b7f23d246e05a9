// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl store`: the format of the keychain's store.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Shows which format the keychain's store has, and brings it to an earlier revision.",
        discussion: CommandDiscussion.text(
            """
            A store has the first revision of its format, until it begins to use a feature of a later one. Programs with an \
            earlier release of the library use it as far as its features permit.
            """,
            examples: [
                "keychainctl store": "Shows which programs can use the store.",
                "keychainctl store downgrade 3.0": "Brings it back, for programs that know no later one.",
            ]
        ),
        subcommands: [StoreStatusCommand.self, DowngradeStoreCommand.self],
        defaultSubcommand: StoreStatusCommand.self
    )
}

/// `keychainctl store status`: the versions of the store and of the program that has it.
struct StoreStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the versions of the store and of the program that has it, and the features in use.",
        discussion: CommandDiscussion.text(
            """
            Of each feature it shows the first revision whose programs know it, and those whose programs may read and \
            change a store that uses it.
            """,
            examples: ["keychainctl store status --json": "Writes it as a JSON object, for scripts."]
        )
    )

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        let status = try refusing { () throws(KeychainError) in try surroundings.keychain.maintenance.storeStatus() }
        surroundings.printLine(json ? StoreText.json(status) : StoreText.plain(status))
    }
}

/// `keychainctl store downgrade`: brings the store to an earlier revision of its format.
struct DowngradeStoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "downgrade",
        abstract: "Brings the store to an earlier revision of its format, for programs that know no later one.",
        discussion: CommandDiscussion.text(
            """
            Features that the revision does not have are left out, in one transaction, if nothing is lost but speed. If \
            another one is in use, nothing is changed: the features are listed, each with the command that ends it, and \
            the exit status is 1. It is 2 for a version that is none.

            A store that is used by newer programs gets a later revision again with their next use of a feature.
            """,
            examples: ["keychainctl store downgrade 3.0": "Leaves out what format 3.0 does not have."]
        )
    )

    @Argument(help: ArgumentHelp("The version: format and revision, such as 3.0.", valueName: "version"))
    var version: String

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        guard let revision = Self.revision(version) else {
            surroundings.remark(
                "Error: '\(version)' is not a revision of the store's format, which is \(FileFormat.number).0 to "
                    + "\(FileFormat.text(of: FileFormat.version))"
            )
            throw ExitCode.usage
        }
        let outcome = try refusing { () throws(KeychainError) in
            try surroundings.keychain.maintenance.downgradeStore(to: revision)
        }
        surroundings.printLine(json ? StoreText.json(outcome) : StoreText.plain(outcome))
        guard outcome.obstacles.isEmpty else { throw ExitCode.failure }
    }

    /// The revision of a version of this format, up to that of this program.
    private static func revision(_ version: String) -> UInt8? {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            UInt8(parts[0]) == FileFormat.number, let revision = UInt8(parts[1]), revision <= FileFormat.revision
        else { return nil }
        return revision
    }
}
