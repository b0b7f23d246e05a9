// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainAuthenticators
import KeychainCore

/// `keychainctl inject`.
struct InjectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inject",
        abstract: "Writes a template with the secrets that it names in double braces.",
        discussion: CommandDiscussion.text(
            """
            Everything else is written as it is. Nothing is written if a secret cannot be read. For a file that goes with a \
            program, there are --template and --template-file of 'keychainctl exec'.
            """,
            examples: [
                "echo 'token = {{ keychain://github.com/ada }}' | keychainctl inject -": "Shows a token in a line.",
                "keychainctl inject app.conf.in --output-fd 3 3> app.conf": "Writes to a descriptor.",
            ]
        )
    )

    @Argument(help: "The template; - for standard input.", completion: .file())
    var template: String

    @Option(
        name: .shortAndLong,
        help: "A new file, which only its owner may read; else standard output.",
        completion: .file()
    )
    var output: String?

    @Option(
        help: ArgumentHelp("The descriptor to write to.", valueName: "n"),
        transform: GivenDescriptor.init(argument:)
    )
    var outputFD: GivenDescriptor?

    func validate() throws {
        guard output == nil || outputFD == nil else {
            throw ValidationError("--output and --output-fd exclude each other.")
        }
        try outputFD?.check(.writing, of: "output-fd")
    }

    func run() throws {
        let surroundings = Surroundings.current
        let text = try SecretFile.read(template, standardInput: surroundings.standardInput)
        let filled = try SecretTemplate(text, in: template).filled(by: SecretReader(surroundings))
        if let outputFD { return try SecretFile.write(filled, to: outputFD.checked(.writing, of: "output-fd")) }
        try SecretFile.write(filled, to: output, standardOutput: surroundings.standardOutput)
    }
}
