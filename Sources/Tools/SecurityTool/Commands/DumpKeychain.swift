// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// `dump-keychain`.
///
/// - Important: Differs from macOS: `-i` shows access like `-a`, and prompts for nothing; `-r` has no sealed bytes to
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
        let operands = invocation.arguments.operands
        let stores: [any ItemStore]
        do throws(KeychainError) {
            stores = try session.keychains.searched(by: operands)
        } catch {
            throw CommandFailure(error, in: PasswordSearch.preparing).withStatusOne
        }
        guard let file else {
            return try dump(stores, operands: operands, sections: sections, in: session, to: session.output)
        }
        let output = try OutputFile(file)
        let status = try dump(stores, operands: operands, sections: sections, in: session, to: output.output)
        try output.close()
        return status
    }

    /// The parts of an item to show besides its attributes.
    private struct Sections {
        var access = false
        var data = false
        var rawData = false
    }

    private static let reading = "SecKeychainItemCopyAttributesAndData"

    /// Prints the contents of keychains.
    ///
    /// - Returns: 1 if one in the search list is damaged, which has been reported; else 0.
    private func dump(
        _ stores: [any ItemStore],
        operands: [Word],
        sections: Sections,
        in session: Session,
        to output: Output
    ) throws -> Int32 {
        var obstacles: Set<Status> = []
        var status: Int32 = 0
        for store in stores {
            do throws(KeychainError) { try store.checkReadable() } catch {
                try session.errors.write(CommandFailure(error, in: PasswordSearch.searching).line)
                status = 1
                continue
            }
            for itemClass in ItemClass.stored {
                let (obstacle, items) = try contents(itemClass, store)
                if let obstacle {
                    try session.errors.write(CommandFailure(obstacle, in: Self.reading).line)
                    obstacles.insert(obstacle)
                }
                for item in items {
                    guard let failure = try dump(item, sections: sections, in: session, to: output) else { continue }
                    if let cause = failure.cause { obstacles.insert(cause) }
                }
            }
        }
        // Once for all items.
        if obstacles.contains(.interactionNotAllowed) { try session.explainLock(.interactionNotAllowed, operands) }
        return status
    }

    /// The items of a class; a failure has status 1, because the command has no other.
    private func contents(
        _ itemClass: ItemClass,
        _ store: any ItemStore
    ) throws(CommandFailure) -> (obstacle: Status?, items: [StoredItem]) {
        do throws(KeychainError) {
            return (try store.obstacle(itemClass, Conditions()), try store.items(itemClass))
        } catch {
            throw CommandFailure(error, in: PasswordSearch.searching).withStatusOne
        }
    }

    /// Prints an item; one whose secret is unavailable ends after its header, and the dump continues.
    ///
    /// - Returns: Why the secret is unavailable; `nil` if it is shown, or not requested.
    private func dump(
        _ item: StoredItem,
        sections: Sections,
        in session: Session,
        to output: Output
    ) throws -> CommandFailure? {
        var secret: SecretBytes?
        if sections.data {
            do {
                secret = try item.store.secret(of: item)
            } catch {
                try output.write(AttributeBlock.head(item))
                let damage = error.status == .decode ? CommandFailure(damaged: item, Self.reading) : nil
                let failure = damage ?? CommandFailure(error, in: Self.reading)
                try session.errors.write(failure.line)
                return failure
            }
        }
        try output.write(AttributeBlock.text(item))
        if sections.rawData { try output.write("raw data:\n\n") }
        if let secret {
            try output.write("data:\n")
            try output.write(ValueFormat.quoted(secret))
            try output.write("\n")
        }
        return sections.access ? try dumpAccess(of: item, session, to: output) : nil
    }

    /// Prints the access list of an item; in a keychain file it is sealed with the secret.
    private func dumpAccess(of item: StoredItem, _ session: Session, to output: Output) throws -> CommandFailure? {
        let text: ByteText
        do throws(KeychainError) {
            // Certificates have no access list.
            let access = item.itemClass == .certificate ? nil : try item.store.access(of: item)
            text = AccessSection.text(item, access)
        } catch {
            let failure = CommandFailure(error, in: "SecKeychainItemCopyAccess")
            try session.errors.write(failure.line)
            return failure
        }
        try output.write(text)
        return nil
    }
}

extension CommandFailure {
    /// The message as a line.
    fileprivate var line: ByteText { message.map { "\($0)\n" } ?? "" }
}
