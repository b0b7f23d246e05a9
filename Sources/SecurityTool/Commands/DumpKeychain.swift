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
        var obstacles: Set<Status> = []
        for itemClass in ItemClass.stored {
            let (obstacle, items) = try contents(itemClass, session.keychain)
            if let obstacle {
                try session.errors.write(CommandFailure(obstacle, Self.reading).line)
                obstacles.insert(obstacle)
            }
            for item in items {
                guard let failure = try dump(item, sections, session, to: output) else { continue }
                if let cause = failure.cause { obstacles.insert(cause) }
            }
        }
        // Once for all items.
        if obstacles.contains(.interactionNotAllowed) { try session.explainLock(.interactionNotAllowed) }
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
            var failure = error
            failure.status = 1
            throw failure
        }
    }

    /// Shows an item; one whose secret cannot be had ends after its head, and the dump goes on.
    ///
    /// - Returns: Why the secret cannot be had; `nil` when it is shown, or need not be.
    private func dump(
        _ item: StoredItem,
        _ sections: Sections,
        _ session: Session,
        to output: Output
    ) throws -> CommandFailure? {
        let name = session.keychain.name
        var secret: SecretBytes?
        if sections.data {
            do {
                secret = try session.keychain.secret(of: item)
            } catch {
                try output.write(AttributeBlock.head(item, name))
                let failure = CommandFailure(error, Self.reading)
                try session.errors.write(failure.line)
                return failure
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
        return nil
    }
}

extension CommandFailure {
    /// The message as a line.
    fileprivate var line: ByteText { message.map { "\($0)\n" } ?? "" }
}
