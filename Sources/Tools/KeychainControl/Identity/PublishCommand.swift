// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import FoundationEssentials
import Glibc
import KeychainCore
import KeychainHost
import KeychainIdentity

/// `keychainctl team publish`: publishes a team's statements about its keys to the daemons of this machine.
struct PublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Tells the daemons of this machine what a team stated about its keys, such as a revocation.",
        discussion: CommandDiscussion.text(
            """
            Copies a file of statements to where daemons read it, also for programs of that team that are connected \
            already. As root it is for all daemons \
            (\(IdentityOptions.systemStatementFolder)), otherwise for the daemon of the user only \
            (swift-keychain/statements in XDG_CONFIG_HOME, or else in ~/.config). That daemon goes by its own \
            XDG_CONFIG_HOME: if systemd starts it, that of 'systemctl --user show-environment', otherwise that of the \
            program that started it. The file is the one beside the key that signed the statements, \
            KEY\(TeamKeyFile.statementsSuffix); it is not secret.
            """,
            examples: [
                "sudo keychainctl team publish example.statements":
                    "Tells every daemon of this machine what the team stated."
            ]
        )
    )

    @Argument(help: "The file of statements, or the name of a key whose statements are meant.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("Write it to this folder instead, such as that of a package.", valueName: "folder"),
        completion: .directory
    )
    var output: String?

    func run() throws {
        let isPath = file.contains("/") || access(file, F_OK) == 0
        let path = isPath ? file : try TeamKeyFile.path(file) + TeamKeyFile.statementsSuffix
        let statements = try StatementsFile.read(path)
        let team = statements[0].team
        let target = "\(try folder())/\(PublishedStatements.fileName(of: team))"
        let published = access(target, F_OK) == 0 ? try StatementsFile.read(target) : []
        let new = statements.filter { statement in
            !published.contains { $0.document.text == statement.document.text }
        }
        guard published.count + new.count <= PublishedStatements.capacity else {
            throw Refusal("\(target) would have more than \(PublishedStatements.capacity) statements")
        }
        do throws(IdentityError) { _ = try TeamKeys(team: team, published + new) } catch {
            let advice = published.isEmpty ? "" : "; it is at odds with \(target): remove that to replace it"
            throw Refusal("\(path): \(error)\(advice)")
        }
        if !new.isEmpty {
            try StatementsFile.write(published + new, to: target)
            guard chmod(target, 0o644) == 0 else {
                throw Refusal(FileError.system(call: "chmod", path: target, errno: errno).description)
            }
        }
        let surroundings = Surroundings.current
        surroundings.printLine("\(target): \(Count.text(published.count + new.count, "statement")) of team \(team)")
        if output == nil, geteuid() != 0 {
            surroundings.remark("Only the user's own daemon reads it; as root, publish it for all daemons.")
        }
    }

    private func folder() throws(Refusal) -> String {
        let ofUser = IdentityOptions.userFolder.map { "\($0)/statements" }
        guard let folder = output ?? (geteuid() == 0 ? IdentityOptions.systemStatementFolder : ofUser) else {
            throw Refusal("the user has no home folder")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755]
            )
        } catch { throw Refusal("\(folder) cannot be made: \(FailureText.of(error))") }
        return folder
    }
}
