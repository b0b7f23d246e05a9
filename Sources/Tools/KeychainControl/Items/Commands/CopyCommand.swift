// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl copy`.
struct CopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Makes a second password with the secret of one, under another name.",
        discussion: CommandDiscussion.text(
            """
            If any password is meant by that name, nothing is changed; with --to-group, if one of that access group is. What \
            programs of the Secret Service find it by, its note, files and expiry come along.
            """,
            examples: ["keychainctl copy github.com/ada backup/ada": "Keeps the password under a second name."]
        )
    )

    @OptionGroup var item: ItemName
    @OptionGroup var new: NewItemName

    @Option(help: ArgumentHelp("The access group of the copy; else that of the password.", valueName: "group"))
    var toGroup: String?

    /// What a copy takes over; the attributes of its name and its times are its own.
    private static let copied: [AttributeName] = [
        "desc", "icmt", "crtr", "type", "invi", "nega", "gena", "sdmn", "ptcl", "atyp", "port", "path", .accessible,
        .accessControl, .synchronizable,
    ]

    func run() throws {
        let surroundings = Surroundings.current
        let entry = try surroundings.item(try item.choices(), named: item.name)
        let choice = try new.choice()
        if let toGroup { try AccessGroupName.check(toGroup) }
        try new.checkIsFree(choice, in: toGroup ?? item.filter.group, surroundings)
        let secret = try surroundings.secret(of: entry)
        let attributes = Self.attributes(of: entry, named: choice)
        do throws(Refusal) {
            let attachments = try surroundings.copyAttachments(
                of: entry,
                to: choice,
                in: toGroup ?? entry.accessGroup
            )
            do throws(Refusal) { try add(copyOf: entry, attributes, secret: secret, surroundings) } catch {
                try? surroundings.delete(attachments)
                throw error
            }
        } catch { throw new.refusal(error) }
        surroundings.remark("Copied \(entry.name.printable) to \(new.newName.printable).")
    }

    private func add(
        copyOf entry: CredentialStore.Entry,
        _ attributes: [AttributeName: PropertyValue],
        secret: SecretBytes,
        _ surroundings: Surroundings
    ) throws(Refusal) {
        try surroundings.withItems(in: toGroup ?? entry.accessGroup) { (store) throws(KeychainError) in
            let identifier = try store.add(entry.itemClass, attributes, secret: secret)
            guard let identifier, let former = entry.identifier, !entry.isSynchronizable else { return }
            let copy = (identifier: identifier, columns: Self.columns(attributes, of: entry.itemClass))
            do throws(KeychainError) {
                try surroundings.keychain.copyLookup(
                    from: (former, Self.columns(entry.named, of: entry.itemClass)),
                    to: copy,
                    of: entry.itemClass
                )
            } catch {
                // All of it, or nothing.
                _ = try surroundings.keychain.perform(.person(.delete(identifier)))
                throw error
            }
        }
    }

    /// The attributes of a copy.
    private static func attributes(
        of entry: CredentialStore.Entry,
        named choice: ItemChoice
    ) -> [AttributeName: PropertyValue] {
        var attributes: [AttributeName: PropertyValue] = [
            entry.passwordClass.service: .string(choice.service), .account: .string(choice.account ?? ""),
            .label: .string(entry.text(.label) == entry.service ? choice.service : entry.text(.label) ?? ""),
        ]
        for name in copied {
            // Zero is what a column has that was not given.
            guard let value = entry.attributes[name.description], value != .number(.integer(0)) else { continue }
            attributes[name] = value
        }
        // The access control has the accessibility in it.
        if attributes[.accessControl] != nil { attributes[.accessible] = nil }
        return attributes
    }

    /// The columns that lookup attributes give.
    private static func columns(
        _ attributes: [AttributeName: PropertyValue],
        of itemClass: ItemClass
    ) -> Attributes {
        var columns = Attributes()
        for name in LookupMapping.columns(of: itemClass) {
            switch attributes[name] {
            case .string(let text)?: columns[name] = .string(text)
            case .data(let bytes)?: columns[name] = .data(bytes.unprotectedCopy)
            case .number(let number)?: columns[name] = .number(number)
            default: break
            }
        }
        return columns
    }
}

extension CredentialStore.Entry {
    /// The attributes by their names.
    fileprivate var named: [AttributeName: PropertyValue] {
        var named: [AttributeName: PropertyValue] = [:]
        for (name, value) in attributes {
            if let name = AttributeName(name) { named[name] = value }
        }
        return named
    }
}
