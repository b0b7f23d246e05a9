// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainIdentity

/// `keychainctl team`: manages the keys for signing programs.
struct TeamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "team",
        abstract: "Creates, rotates and revokes the keys that programs are signed with.",
        discussion: CommandDiscussion.text(
            """
            A team is identified by the digest of its first key. A key is named by the path of its file, or by its name in \
            ~/.config/swift-keychain/teams. The file of a private key is not encrypted: keep it where only those can read \
            it who may sign for the team.
            """,
            examples: [
                "keychainctl team create example": "Creates a key, and with it a team.",
                "keychainctl team": "Lists the keys.",
            ]
        ),
        subcommands: [
            CreateTeamCommand.self, ListTeamsCommand.self, ShowTeamCommand.self, RotateTeamKeyCommand.self,
            RevokeCommand.self, PublishCommand.self,
        ],
        defaultSubcommand: ListTeamsCommand.self
    )
}

/// `keychainctl team create`: a first key.
struct CreateTeamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates a key, and with it a team.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl team create example": "Creates a key by the name of example."
        ])
    )

    @Argument(help: "The new key: a name, or the path of a file.", completion: .file())
    var key: String

    func run() throws {
        let file = try TeamKeyFile(creating: key) { _ in [] }
        Surroundings.current.printLine("Team \(file.team): its private key is in \(file.path)")
    }
}

/// `keychainctl team list`: the keys in the user's folder.
struct ListTeamsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the keys in ~/.config/swift-keychain/teams.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl team list": "Lists the teams with the names of their keys."
        ])
    )

    func run() throws {
        let surroundings = Surroundings.current
        for name in TeamKeyFile.names() {
            do throws(Refusal) { surroundings.printLine("\(try TeamKeyFile(name).team)  \(name)") } catch {
                surroundings.remark("keychainctl: \(error)")
            }
        }
    }
}

/// `keychainctl team show`: shows information about a key's team.
struct ShowTeamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a key's team, its public key, and the team's statements about its keys.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl team show example": "Shows the public key and the team that it belongs to."
        ])
    )

    @Argument(help: "The key: a name, or the path of a file.", completion: .file())
    var key: String

    func run() throws {
        let file = try TeamKeyFile(key)
        var lines = ["team        \(file.team)", "public key  \(file.key.publicKey)", "file        \(file.path)"]
        for statement in file.statements { lines.append("\(statement.created)  \(statement.summary)") }
        Surroundings.current.printLine(lines.joined(separator: "\n"))
    }
}

/// `keychainctl team rotate`: a further key.
struct RotateTeamKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Creates a new key for a team, which keeps its identifier.",
        discussion: CommandDiscussion.text(
            """
            Programs that are signed with the new key carry the old key's statement that adds it to the team, and access \
            the same items as those that the old key has signed. The old key remains valid until it is revoked.
            """,
            examples: ["keychainctl team rotate --team-key example example-2": "Creates another key for the team."]
        )
    )

    @Option(help: ArgumentHelp("The team's current key.", valueName: "key"), completion: .file())
    var teamKey: String

    @Argument(help: "The new key: a name, or the path of a file.", completion: .file())
    var newKey: String

    func run() throws {
        var old = try TeamKeyFile(teamKey)
        let new = try TeamKeyFile(creating: newKey) { key throws(Refusal) in
            _ = try old.state(.rotation(newKey: key.publicKey))
            return old.statements
        }
        try old.writeStatements()
        Surroundings.current.printLine("Team \(new.team): its new private key is in \(new.path)")
    }
}

/// `keychainctl team revoke`: revokes a key, or versions of a program.
struct RevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes a key, or versions of an application.",
        discussion: CommandDiscussion.text(
            """
            A daemon learns of it from the next program of the team that connects and was signed afterwards, or from what \
            'team publish' publishes: sign the programs again, or publish it. From then on, programs that it concerns get no \
            more replies, those that are connected included. A revocation cannot be undone.
            """,
            examples: [
                "keychainctl team revoke --team-key example-2 --key PUBLIC-KEY":
                    "Revokes a key that may have been stolen; team show has it."
            ]
        )
    )

    @Option(help: ArgumentHelp("The team's current key.", valueName: "key"), completion: .file())
    var teamKey: String

    // A key in base 64 for URLs may begin with a hyphen.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The public key to revoke; see 'team show'.", valueName: "public-key")
    )
    var key: String?

    @Option(help: ArgumentHelp("The application, such as TEAMID.com.example.tool.", valueName: "identifier"))
    var application: String?

    @Option(help: ArgumentHelp("The lowest serial that remains valid.", valueName: "serial"))
    var below: Int?

    func validate() throws {
        guard (key != nil) != (application != nil), (application != nil) == (below != nil) else {
            throw ValidationError("Name either --key, or --application and --below.")
        }
    }

    func run() throws {
        var file = try TeamKeyFile(teamKey)
        let statement = try file.state(try content(file))
        try file.writeStatements()
        Surroundings.current.printLine("Team \(file.team): \(statement.summary)")
        Surroundings.current.remark(
            "Sign the team's programs again, and publish this wherever they run: 'keychainctl team publish FILE' with "
                + "\(file.path + TeamKeyFile.statementsSuffix). Until then, daemons accept what was revoked."
        )
    }

    private func content(_ file: TeamKeyFile) throws(Refusal) -> TeamStatement.Content {
        if let application, let below {
            return .serialRevocation(applicationIdentifier: application, belowSerial: below)
        }
        guard let key, let revoked = TeamPublicKey(key) else { throw Refusal("--key requires a public key") }
        // Of the keys that the revoked one added, the chain to this one remains valid.
        return .keyRevocation(key: revoked, successor: file.successor(of: revoked))
    }
}

extension TeamKeyFile {
    /// The successor of another key in the chain to this one; `nil` if that key is this one.
    fileprivate func successor(of revoked: TeamPublicKey) -> TeamPublicKey? {
        var next: TeamPublicKey? = nil
        var current = key.publicKey
        while current != revoked {
            next = current
            let maker = statements.first { $0.content == .rotation(newKey: current) }?.document.signer
            guard let maker else { return nil }
            current = maker
        }
        return next
    }
}

extension TeamStatement {
    /// A description of its content.
    fileprivate var summary: String {
        switch content {
        case .rotation(let newKey): "\(document.signer) added \(newKey) to the team"
        case .keyRevocation(let key, let successor?): "the key \(key) is revoked; its successor is \(successor)"
        case .keyRevocation(let key, nil): "the key \(key) is revoked"
        case .serialRevocation(let application, let serial): "\(application) below serial \(serial) is revoked"
        }
    }
}
