// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainIdentity

/// `keychainctl team`: the keys that programs are signed by.
struct TeamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "team",
        abstract: "Makes the keys that programs are signed by, and says which of them count.",
        discussion: """
            A team is known by the digest of its first key. A key is named by the path of its file, or by its name in \
            ~/.config/swift-keychain/teams. The file of a private key is not encrypted: keep it where only those can read \
            it who may sign for the team.
            """,
        subcommands: [
            CreateTeamCommand.self, ListTeamsCommand.self, ShowTeamCommand.self, RotateTeamKeyCommand.self,
            RevokeCommand.self,
        ],
        defaultSubcommand: ListTeamsCommand.self
    )
}

/// `keychainctl team create`: a first key.
struct CreateTeamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Makes a key, and with it a team."
    )

    @Argument(help: "The new key: a name, or the path of a file.", completion: .file())
    var key: String

    func run() throws {
        let file = try TeamKeyFile(creating: key) { _ in [] }
        Surroundings.current.say("Team \(file.team): its private key is in \(file.path)")
    }
}

/// `keychainctl team list`: the keys in the user's folder.
struct ListTeamsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the keys in ~/.config/swift-keychain/teams."
    )

    func run() throws {
        let surroundings = Surroundings.current
        for name in TeamKeyFile.names() {
            do throws(Refusal) { surroundings.say("\(try TeamKeyFile(name).team)  \(name)") } catch {
                surroundings.remark("keychainctl: \(error)")
            }
        }
    }
}

/// `keychainctl team show`: what is known of a key's team.
struct ShowTeamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a key's team, its public key, and what the team has said of its keys."
    )

    @Argument(help: "The key: a name, or the path of a file.", completion: .file())
    var key: String

    func run() throws {
        let file = try TeamKeyFile(key)
        var lines = ["team        \(file.team)", "public key  \(file.key.publicKey)", "file        \(file.path)"]
        for statement in file.statements { lines.append("\(statement.created)  \(statement.summary)") }
        Surroundings.current.say(lines.joined(separator: "\n"))
    }
}

/// `keychainctl team rotate`: a further key.
struct RotateTeamKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Makes a new key for a team, which keeps its identifier.",
        discussion: """
            Programs that are signed by the new key carry the statement of the old one that it is the team's, and reach \
            what those reach that the old key has signed. The old key goes on to count until it is revoked.
            """
    )

    @Option(help: ArgumentHelp("The key that signs for the team now.", valueName: "key"), completion: .file())
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
        Surroundings.current.say("Team \(new.team): its new private key is in \(new.path)")
    }
}

/// `keychainctl team revoke`: a key, or versions of a program, that count no more.
struct RevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Says that a key, or versions of an application, count no more.",
        discussion: """
            A daemon learns it from the next program of the team that connects and was signed after this: sign the programs \
            again. There is no way back.
            """
    )

    @Option(help: ArgumentHelp("The key that signs for the team now.", valueName: "key"), completion: .file())
    var teamKey: String

    @Option(help: ArgumentHelp("The public key that counts no more; see 'team show'.", valueName: "public-key"))
    var key: String?

    @Option(help: ArgumentHelp("The application, such as TEAMID.com.example.tool.", valueName: "identifier"))
    var application: String?

    @Option(help: ArgumentHelp("The first serial of the application that still counts.", valueName: "serial"))
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
        Surroundings.current.say("Team \(file.team): \(statement.summary)")
    }

    private func content(_ file: TeamKeyFile) throws(Refusal) -> TeamStatement.Content {
        if let application, let below {
            return .serialRevocation(applicationIdentifier: application, belowSerial: below)
        }
        guard let key, let revoked = TeamPublicKey(key) else { throw Refusal("--key takes a public key") }
        // Of the keys that the revoked one made the team's, the way to this one stays.
        return .keyRevocation(key: revoked, successor: file.successor(of: revoked))
    }
}

extension TeamKeyFile {
    /// The key that came after another one on the way to this one; `nil` when the key is this one.
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
    /// What it says, in words.
    fileprivate var summary: String {
        switch content {
        case .rotation(let newKey): "\(document.signer) made \(newKey) a key of the team"
        case .keyRevocation(let key, let successor?): "the key \(key) is revoked; \(successor) took its place"
        case .keyRevocation(let key, nil): "the key \(key) is revoked"
        case .serialRevocation(let application, let serial): "\(application) below serial \(serial) is revoked"
        }
    }
}
