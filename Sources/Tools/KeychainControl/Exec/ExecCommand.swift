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

            A reference is keychain://SERVICE/ACCOUNT, or keychain://SERVICE alone, with ?account, ?otp or another field of \
            'keychainctl get' behind it for a part other than the password; a slash within a name is %2F. 'keychainctl show' \
            writes the reference that means one password alone. A file of variables has lines NAME=VALUE, in which a value that is a reference stands for the secret, and any \
            other stands for itself; it may be committed. A template is given as the path of a file in memory, which goes \
            with the command, and which those programs can open that inherit its open files; with --template-file, as that \
            of a file in the run-time folder (XDG_RUNTIME_DIR), which every program of the user can open until the command \
            ends, however it does. The exit status is the command's, 126 if it cannot be run, 127 if there is none, and 125 \
            if something before it failed.
            """,
            examples: [
                "keychainctl exec --env GH_TOKEN=keychain://github.com/ada -- gh repo list":
                    "Gives gh its token.",
                "keychainctl exec --env-file .env -- npm start": "Gives a program what a file of references names.",
                "keychainctl exec --template CONFIG=app.conf.in -- sh -c 'app $CONFIG'":
                    "Gives a program a file with secrets.",
                "keychainctl exec --template-file KUBECONFIG=kube.yaml.in -- make deploy":
                    "The same for programs that it starts.",
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

    @Option(
        help: ArgumentHelp("The same with a file in the run-time folder; may be repeated.", valueName: "name=file"),
        completion: .file()
    )
    var templateFile: [String] = []

    @Flag(help: "Show asterisks in the place of the secrets in what the command writes.")
    var mask = false

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The command.", valueName: "command"))
    var command: [String]

    func validate() throws {
        guard !command.isEmpty else { throw ValidationError("Give a command after '--'.") }
        for assignment in env {
            guard let (_, value) = EnvironmentFile.assignment(assignment), SecretReference.isReference(value)
            else {
                // It may be a secret.
                throw ValidationError(
                    "--env takes NAME=\(SecretReference.prefix)SERVICE/ACCOUNT, never the secret itself."
                )
            }
        }
        for (option, assignments) in [("--template", template), ("--template-file", templateFile)] {
            for assignment in assignments where EnvironmentFile.assignment(assignment) == nil {
                throw ValidationError("\(option) takes NAME=FILE.")
            }
        }
        let names = templateFile.compactMap { EnvironmentFile.assignment($0)?.name }
        guard Set(names).count == names.count else { throw ValidationError("--template-file has a variable twice.") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let status: Int32
        do throws(Refusal) {
            let secrets = SecretReader(surroundings)
            let variables = try variables(secrets, surroundings)
            for (name, value) in variables where value.withUnsafeBytes({ $0.contains(0) }) {
                throw Refusal("the value of \(name) has a NUL, which no variable can have")
            }
            status = try surroundings.execute(command, variables, mask ? secrets.read : nil)
        } catch {
            surroundings.remark("Error: \(error)")
            throw ExitCode(error.status == .usage ? error.status.rawValue : Self.failure)
        }
        if status != 0 { throw ExitCode(status) }
    }

    /// The status if something before the command failed, as of env(1).
    private static let failure: Int32 = 125

    private typealias Variable = (name: String, value: SecretBytes)

    private func variables(_ secrets: SecretReader, _ surroundings: Surroundings) throws(Refusal) -> [Variable] {
        var variables: [Variable] = []
        for file in envFile {
            let contents = try SecretFile.read(file, standardInput: surroundings.standardInput)
            for (name, value) in try EnvironmentFile.parse(contents, name: file) {
                variables.append((name, try secrets.value(value, in: "\(file.printable), \(name)")))
            }
        }
        for (name, value) in env.compactMap(EnvironmentFile.assignment) {
            variables.append((name, try secrets.value(value, in: name)))
        }
        for (name, text, _) in try filled(template, by: secrets, surroundings) {
            variables.append((name, SecretBytes(Array(try MemoryFile.path(of: text).utf8))))
        }
        let files = try filled(templateFile, by: secrets, surroundings)
        guard !files.isEmpty else { return variables }
        let folder = try KeptFolder.make(surroundings)
        for (name, text, file) in files {
            let path = "\(folder)/\(name)\(Self.suffix(of: file))"
            try SecretFile.write(text, to: path, standardOutput: surroundings.standardOutput)
            variables.append((name, SecretBytes(Array(path.utf8))))
        }
        return variables
    }

    /// The results of templates, with the files of these.
    private func filled(
        _ templates: [String],
        by secrets: SecretReader,
        _ surroundings: Surroundings
    ) throws(Refusal) -> [(name: String, text: SecretBytes, file: String)] {
        var results: [(name: String, text: SecretBytes, file: String)] = []
        for (name, file) in templates.compactMap(EnvironmentFile.assignment) {
            let text = try SecretFile.read(file, standardInput: surroundings.standardInput)
            results.append((name, try SecretTemplate(text, in: file).filled(by: secrets), file))
        }
        return results
    }

    /// `.yaml` of `kube.yaml` and of `kube.yaml.in`: some programs go by it.
    private static func suffix(of file: String) -> String {
        var parts = (file.split(separator: "/").last ?? "").split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 2, parts.last == "in" { parts.removeLast() }
        guard parts.count > 1, let last = parts.last, !last.isEmpty, last != "in" else { return "" }
        return ".\(last)"
    }
}
