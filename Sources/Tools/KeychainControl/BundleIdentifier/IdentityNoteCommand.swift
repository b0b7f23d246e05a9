// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainHost

/// `keychainctl identity-note`: Swift code that puts an identity into a program.
struct IdentityNoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity-note",
        abstract: "Prints the line of Swift that gives a program an identity.",
        discussion: CommandDiscussion.text(
            """
            The identity is the default access group of the program, unless it has entitlements or a bundle identifier, \
            whatever the name of its file. The line belongs into any source file of the program.
            """,
            examples: [
                "keychainctl identity-note com.example.tool > Sources/tool/Identity.swift":
                    "Makes a source file of the line."
            ]
        )
    )

    @Argument(
        help: "A name such as com.example.tool, of at most 255 bytes.",
        transform: { text in
            guard let identity = ProgramIdentity(text.utf8) else {
                throw ValidationError(
                    "An identity has two or more parts of ASCII letters, digits and hyphens, with periods between them."
                )
            }
            return identity
        }
    )
    var identity: ProgramIdentity

    func run() { print(Self.code(identity)) }

    /// The declaration of a constant that the compiler puts into the section of the note.
    static func code(_ identity: ProgramIdentity) -> String {
        let words = identity.note.map { "0x" + String($0, radix: 16) }.joined(separator: ", ")
        return """
            #if os(Linux)
            // \(identity.name): who this program is to the keychain.
            @section("\(ProgramIdentity.section)") @used let keychainIdentity: InlineArray<\(identity.note.count), UInt32> = [\(words)]
            #endif
            """
    }
}
