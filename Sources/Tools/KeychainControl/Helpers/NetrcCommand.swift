// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainAuthenticators
import KeychainCore

/// `keychainctl netrc`.
struct NetrcCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "netrc",
        abstract: "Writes the passwords of hosts in the form of a netrc file.",
        discussion: CommandDiscussion.text(
            """
            For programs that read netrc files and have no helper, such as curl and Swift's package manager. A pipe or a \
            descriptor keeps the passwords out of files.
            """,
            examples: [
                "keychainctl netrc example.com": "Writes the lines for a host.",
                "keychainctl netrc example.com --output-fd 3 3> login": "Writes them to descriptor 3.",
            ]
        )
    )

    @Argument(help: "The names of hosts, as in a URL, without a port.")
    var hosts: [String]

    @Option(
        help: ArgumentHelp("The descriptor to write to; else standard output.", valueName: "n"),
        transform: GivenDescriptor.init(argument:)
    )
    var outputFD: GivenDescriptor?

    func validate() throws { try outputFD?.check(.writing, of: "output-fd") }

    func run() throws {
        let surroundings = Surroundings.current
        let store = CredentialStore(surroundings.keychain)
        var lines: [SecretBytes] = []
        for host in hosts {
            let entries: Netrc.Entries
            do { entries = try Netrc.entries(for: host, in: store) } catch let error as KeychainError {
                throw Refusal(error)
            } catch {
                throw Refusal("\(error)")
            }
            for user in entries.unwritable {
                let shown = PlainText.shown(user)
                surroundings.remark(
                    "'\(shown)' at \(host) is left out: a netrc file has no user or password of several lines"
                )
            }
            guard !entries.lines.isEmpty else { throw Refusal("there is no password for \(host)") }
            lines.append(entries.lines)
        }
        // All or nothing: a program would take half of the list for the whole.
        let output = try outputFD?.checked(.writing, of: "output-fd") ?? surroundings.standardOutput
        for line in lines { try SecretFile.write(line, to: output) }
    }
}
