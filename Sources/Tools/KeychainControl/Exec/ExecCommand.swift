// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl exec`: gives secrets to a program in its environment, or in files that are nowhere but in memory.
struct ExecCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Runs a command with secrets in its environment.",
        discussion: CommandDiscussion.text(
            """
            All references are read before the command is started, which is not if one cannot be. The secrets are in the \
            environment of the command alone: in no file, in no argument, and not in the shell's. Whoever may read the \
            memory of the command can read them there.

            A file of variables has lines NAME=VALUE, in which a value that is a reference stands for the secret, and any \
            other stands for itself; it may be committed. A template is given as the path of a file in memory, which goes \
            with the command. The exit status is the command's, 126 if it cannot be run, 127 if there is none, and 125 if \
            something before it failed.
            """,
            examples: [
                "keychainctl exec --env GH_TOKEN=keychain://github.com/ada -- gh repo list":
                    "Gives gh its token.",
                "keychainctl exec --env-file .env -- npm start": "Gives a program what a file of references names.",
                "keychainctl exec --template CONFIG=app.conf.in -- sh -c 'app $CONFIG'":
                    "Gives a program a file with secrets.",
            ]
        )
    )

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A variable and its reference; may be repeated.", valueName: "name=reference")
    )
    var env: [String] = []

    @Option(help: ArgumentHelp("A file of variables; may be repeated.", valueName: "file"), completion: .file())
    var envFile: [String] = []

    @Option(
        help: ArgumentHelp("A variable with the path of a template's result; may be repeated.", valueName: "name=file"),
        completion: .file()
    )
    var template: [String] = []

    @Flag(help: "Show asterisks in the place of the secrets in what the command writes.")
    var mask = false

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The command.", valueName: "command"))
    var command: [String]

    func validate() throws {
        guard !command.isEmpty else { throw ValidationError("Give a command after '--'.") }
        for assignment in env {
            guard let (_, value) = EnvironmentFile.assignment(assignment), value.hasPrefix(SecretReference.prefix)
            else {
                // It may be a secret.
                throw ValidationError(
                    "--env takes NAME=\(SecretReference.prefix)SERVICE/ACCOUNT, never the secret itself."
                )
            }
        }
        for assignment in template where EnvironmentFile.assignment(assignment) == nil {
            throw ValidationError("--template takes NAME=FILE.")
        }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let secrets = SecretReader(surroundings)
        var variables: [(name: String, value: SecretBytes)] = []
        do {
            for file in envFile {
                let contents = try SecretFile.read(file, standardInput: surroundings.standardInput)
                for (name, value) in try EnvironmentFile.parse(contents, name: file) {
                    variables.append((name, try secrets.value(value)))
                }
            }
            for assignment in env {
                guard let (name, value) = EnvironmentFile.assignment(assignment) else { continue }
                variables.append((name, try secrets.value(value)))
            }
            for assignment in template {
                guard let (name, file) = EnvironmentFile.assignment(assignment) else { continue }
                let text = try SecretFile.read(file, standardInput: surroundings.standardInput)
                let path = try MemoryFile.path(of: try SecretTemplate(text).filled(by: secrets))
                variables.append((name, SecretBytes(Array(path.utf8))))
            }
            for (name, value) in variables where value.withUnsafeBytes({ $0.contains(0) }) {
                throw Refusal("the value of \(name) has a NUL, which no variable can have")
            }
        } catch let refusal as Refusal {
            surroundings.remark("Error: \(refusal)")
            throw ExitCode(refusal.status == .usage ? refusal.status.rawValue : 125)
        }
        let status = try surroundings.execute(command, variables, mask ? secrets.read : nil)
        if status != 0 { throw ExitCode(status) }
    }
}

/// Reads the secrets that references name, each once.
final class SecretReader {
    private let surroundings: Surroundings
    private var known: [SecretReference: SecretBytes] = [:]

    /// The secrets that were read.
    private(set) var read: [SecretBytes] = []

    init(_ surroundings: Surroundings) { self.surroundings = surroundings }

    /// The secret of a reference; any other text stands for itself.
    func value(_ text: String) throws(Refusal) -> SecretBytes {
        guard text.hasPrefix(SecretReference.prefix) else { return SecretBytes(Array(text.utf8)) }
        let reference = try SecretReference(text)
        if let secret = known[reference] { return secret }
        let entry = try surroundings.item([[reference.choice]], named: text)
        let secret = try surroundings.value(of: reference.field, in: entry)
        known[reference] = secret
        if [.password, .otp].contains(reference.field), !secret.isEmpty { read.append(secret) }
        return secret
    }
}
