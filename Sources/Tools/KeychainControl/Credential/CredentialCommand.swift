// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import Glibc
import KeychainCore
import KeychainHost

/// `keychainctl credential`: secrets for units of systemd.
struct CredentialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential",
        abstract: "Gives units of systemd their secrets as credentials.",
        discussion: CommandDiscussion.text(
            """
            A unit has LoadCredential=NAME:%t/swift-keychain/credentials.sock, and a table says which secret that is. \
            systemd then reads it from the socket of swift-keychain-credentials.socket, which starts 'credential \
            serve', and the unit finds it as a file in the folder $CREDENTIALS_DIRECTORY, in memory. 'systemctl --user \
            enable --now swift-keychain-credentials.socket' has systemd listen, now and after each login.

            The table is the file swift-keychain/credentials in $XDG_CONFIG_HOME or ~/.config, for root in /etc. It \
            belongs to its user or root, and nobody else may change it. Lines are UNIT CREDENTIAL REFERENCE; \
            app@.service is each instance of a template. A change counts from the next start of a unit on.
            """,
            examples: [
                "keychainctl credential status": "Shows what each unit gets, and whether it is in the keychain."
            ]
        ),
        subcommands: [CredentialStatusCommand.self, ServeCredentialsCommand.self],
        defaultSubcommand: CredentialStatusCommand.self
    )
}

/// The file of the table.
struct CredentialTableOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The file of the table, if it is not the usual one.", valueName: "file"))
    var table: String?

    /// The path of the file.
    func path(_ surroundings: Surroundings) throws(Refusal) -> String {
        if let table { return AbsolutePath.of(table) }
        let variable = surroundings.environment("XDG_CONFIG_HOME").flatMap { $0.isAbsolutePath ? $0 : nil }
        if geteuid() == 0, variable == nil { return "/etc/swift-keychain/credentials" }
        let home = surroundings.environment("HOME").flatMap { $0.isAbsolutePath ? $0 : nil }
        guard let folder = variable ?? (home ?? KeychainLocation.homeFromUserDatabase()).map({ "\($0)/.config" })
        else { throw Refusal("the home folder is not known; name the table with --table") }
        return "\(folder)/swift-keychain/credentials"
    }
}

/// `keychainctl credential status`.
struct CredentialStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the table of credentials, and which of their secrets are in the keychain.",
        discussion: CommandDiscussion.text(
            "No secret is opened. The exit status is 1 if one is missing, or several are meant.",
            examples: ["keychainctl credential status": "Shows what each unit gets."]
        )
    )

    @OptionGroup var file: CredentialTableOptions

    func run() throws {
        let surroundings = Surroundings.current
        let table = try CredentialTable(file: file.path(surroundings))
        var isComplete = true
        let rows = table.rows.map { row in
            var state = "found"
            do throws(Refusal) {
                _ = try surroundings.item([[row.reference.choice]], named: row.reference.text)
            } catch {
                isComplete = false
                state = Self.state(error)
            }
            return [row.unit, row.name, row.reference.text.printable, state]
        }
        let isTerminal = surroundings.isTerminal(surroundings.standardOutput)
        if !rows.isEmpty { surroundings.printLine(TextTable.text(rows, isAligned: isTerminal)) }
        guard isComplete else { throw ExitCode.failure }
    }

    private static func state(_ refusal: Refusal) -> String {
        switch refusal.status {
        case .notFound: "not found"
        case .ambiguous: "several are meant"
        case .locked: "locked"
        case .failed, .usage, .unreadable: "cannot be read"
        }
    }
}

/// `keychainctl credential serve`: what systemd starts.
struct ServeCredentialsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Gives units their credentials, on a socket of systemd's; systemd starts it.",
        discussion: CommandDiscussion.text(
            """
            Who connects has to be in the unit that it asks for, by its control group, and run as root or the user of \
            this process. In any other case, and where the keychain is locked or the item is gone, the connection is \
            closed with nothing, and the reason is written to standard error. Nobody is asked for a passcode.
            """,
            examples: [
                "keychainctl credential serve --exit-when-idle 60": "Is what the unit in a package runs."
            ]
        )
    )

    @OptionGroup var file: CredentialTableOptions

    @Option(help: ArgumentHelp("End after so many seconds without a connection.", valueName: "seconds"))
    var exitWhenIdle: Int32?

    func validate() throws {
        guard exitWhenIdle.map({ (1...86_400).contains($0) }) ?? true else {
            throw ValidationError("--exit-when-idle takes a number of seconds, up to a day.")
        }
    }

    func run() throws {
        var surroundings = Surroundings.current
        // Nobody is there to be asked.
        surroundings.authenticator = NoAuthenticator()
        let path = try file.path(surroundings)
        let sockets: [Int32]
        do throws(SocketActivation.Failure) { sockets = try SocketActivation.adoptSockets() } catch {
            throw Refusal(error.description)
        }
        guard !sockets.isEmpty else {
            throw Refusal(
                "systemd starts this, with a socket: systemctl --user enable --now \(CredentialUnits.socketUnit)"
            )
        }
        let peers = try CredentialPeers()
        let hasLevels = surroundings.environment("JOURNAL_STREAM") != nil
        let server = CredentialServer(
            check: { (request, socket) throws(Refusal) in try peers.check(request, of: socket) },
            secret: { [surroundings] (request) throws(Refusal) in
                try surroundings.credential(request, by: CredentialTable(file: path))
            },
            note: { [surroundings] note, text in
                // The journal parses a level at the beginning of a line (sd-daemon(3)).
                let level = hasLevels ? (note == .given ? "<6>" : "<4>") : ""
                surroundings.remark("\(level)\(text.split(whereSeparator: \.isNewline).joined(separator: " "))")
            },
            idleMilliseconds: exitWhenIdle.map { $0 * 1_000 }
        )
        try server.serve(sockets)
    }
}

extension Surroundings {
    /// The secret that a table has for a request.
    func credential(
        _ request: CredentialRequest,
        by table: CredentialTable
    ) throws(Refusal) -> (secret: SecretBytes, reference: String) {
        guard let reference = table.reference(for: request) else { throw Refusal("the table has none of this name") }
        return (try SecretReader(self).value(reference.text), reference.text)
    }
}
