// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// `dump-keychain`.
///
/// - Important: Differs from macOS: `-i` has nothing to edit and shows access like `-a`; `-r` has no sealed bytes to
///   show.
struct DumpKeychain: Command {
    let options: OptionSyntax = "hadiro:"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var sections = Sections()
        var file: Word?
        for option in invocation.arguments.options {
            switch option.letter {
            case "a", "i": sections.access = true
            case "d": sections.data = true
            case "r": sections.rawData = true
            case "o": file = option.value
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        let isSearched = session.keychain.name.isSearched(by: invocation.arguments.operands)
        guard let file else {
            if isSearched { try dump(sections, session, to: session.output) }
            return 0
        }
        let output = try OutputFile(file)
        if isSearched { try dump(sections, session, to: output.output) }
        try output.close()
        return 0
    }

    /// What is shown of an item besides its attributes.
    private struct Sections {
        var access = false
        var data = false
        var rawData = false
    }

    private static let reading = "SecKeychainItemCopyAttributesAndData"

    private func dump(_ sections: Sections, _ session: Session, to output: Output) throws {
        for itemClass in ItemClass.stored {
            let (obstacle, items) = try contents(itemClass, session.keychain)
            if let obstacle { try session.errors.write(CommandFailure(obstacle, Self.reading).line) }
            for item in items { try dump(item, sections, session, to: output) }
        }
    }

    /// What a class has; a failure has the status 1, as the command has no other.
    private func contents(
        _ itemClass: ItemClass,
        _ keychain: UserKeychain
    ) throws(CommandFailure) -> (obstacle: Status?, items: [StoredItem]) {
        do {
            return try reporting(PasswordSearch.searching) { () throws(KeychainError) in
                (try keychain.obstacle(itemClass), try keychain.items(itemClass))
            }
        } catch {
            throw CommandFailure(status: 1, error.message)
        }
    }

    /// Shows an item; one whose secret cannot be had ends after its head, and the dump goes on.
    private func dump(_ item: StoredItem, _ sections: Sections, _ session: Session, to output: Output) throws {
        let name = session.keychain.name
        var secret: SecretBytes?
        if sections.data {
            do {
                secret = try session.keychain.secret(of: item)
            } catch {
                try output.write(AttributeBlock.head(item, name))
                try session.errors.write(CommandFailure(error, Self.reading).line)
                return
            }
        }
        try output.write(AttributeBlock.text(item, name))
        if sections.rawData { try output.write("raw data:\n\n") }
        if let secret {
            try output.write("data:\n")
            try output.write(ValueFormat.quoted(secret))
            try output.write("\n")
        }
        if sections.access { try output.write(AccessSection.text(item)) }
    }
}

extension CommandFailure {
    /// The message as a line.
    fileprivate var line: ByteText { message.map { "\($0)\n" } ?? "" }
}
