// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import Glibc
import KeychainAuthenticators
import KeychainCore

/// The forms of an export.
enum ExportFormat: String, ExpressibleByArgument, CaseIterable {
    case json, csv, pass, env
}

/// `keychainctl export`.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes passwords to a file for other programs; 'backup' is for keeping them.",
        discussion: CommandDiscussion.text(
            """
            json has everything, with notes, files and expiry (an import cannot set the times), csv what is text, env \
            lines NAME='PASSWORD', and pass a \
            folder of files that gpg encrypts to --gpg-recipient. 'keychainctl import' reads each of them. With \
            --passphrase-fd or --age-recipient the file is sealed in the format of age. A file is of its owner alone, and \
            appears when it is complete. Certificates and keys are exported by 'security export'.
            """,
            examples: [
                "keychainctl export --all --output passwords.age --passphrase-fd 3 3<phrase":
                    "Writes all passwords to a file that a passphrase seals.",
                "keychainctl export github.com/ada --format csv --output ada.csv":
                    "Writes one password, readable by everybody who has the file.",
            ]
        )
    )

    @Argument(help: "The passwords: SERVICE/ACCOUNT, SERVICE, or references.", completion: ItemCompletion.name)
    var names: [String] = []

    @OptionGroup var filter: ItemFilter

    @Flag(help: "All passwords, or all that the options choose.")
    var all = false

    @Option(help: "The form: \(ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
    var format = ExportFormat.json

    @Option(name: .shortAndLong, help: "The file, or the folder of pass; - for standard output.", completion: .file())
    var output: String?

    @Flag(help: "Replace a file that is there.")
    var replace = false

    @Flag(help: "Write secrets to a terminal.")
    var toTerminal = false

    @Option(
        name: .customLong("passphrase-fd"),
        help: ArgumentHelp("Seal the file by the passphrase on this descriptor.", valueName: "descriptor"),
        transform: GivenDescriptor.init(argument:)
    )
    var descriptor: GivenDescriptor?

    @Option(help: ArgumentHelp("Seal the file for a recipient, with the program age.", valueName: "recipient"))
    var ageRecipient: [String] = []

    @Option(help: ArgumentHelp("Whom the files of pass are encrypted to.", valueName: "recipient"))
    var gpgRecipient: [String] = []

    func validate() throws {
        guard descriptor == nil || ageRecipient.isEmpty else {
            throw ValidationError("--passphrase-fd and --age-recipient exclude each other.")
        }
        guard (format == .pass) == !gpgRecipient.isEmpty else {
            throw ValidationError("--gpg-recipient is for --format pass, which needs it.")
        }
        guard format != .pass || (output.map { $0 != "-" } ?? false && !isSealed) else {
            throw ValidationError("--format pass writes a folder: give it by --output; its files are sealed by gpg.")
        }
    }

    private var isSealed: Bool { descriptor != nil || !ageRecipient.isEmpty }

    func run() throws {
        let surroundings = Surroundings.current
        try descriptor?.check(.reading, of: "--passphrase-fd")
        guard all != !names.isEmpty else { throw Refusal("give the names of passwords, or --all", .usage) }
        let isForTerminal = (output ?? "-") == "-" && surroundings.isTerminal(surroundings.standardOutput)
        guard !isForTerminal || toTerminal else {
            throw Refusal("standard output is a terminal: give a file by --output, or --to-terminal", .usage)
        }
        let entries = try chosen(surroundings)
        var items: [ExportedItem] = []
        var left = all ? try damaged(surroundings) : []
        let progress = ProgressLine(surroundings, isQuiet: false)
        for (index, entry) in entries.enumerated() {
            if format == .pass || format == .env, Attachment(entry) != nil {
                left.append((entry.name, "it belongs to a password; json has it"))
                continue
            }
            do throws(Refusal) { items.append(try ExportedItem(entry, surroundings)) } catch {
                // Of all, those that need their user are left, and those that nobody can read.
                guard all, entry.isGuarded || isDamaged(entry, surroundings) else { throw error }
                left.append((entry.name, "\(error)"))
            }
            progress.show("read", index + 1, of: entries.count)
        }
        surroundings.remark(
            "Secrets leave the keychain: whoever has what is written here\(isSealed ? " and opens it" : "") has them."
        )
        let count: Int
        if format == .pass {
            count = try PassExport(output ?? "", gpgRecipient, replaces: replace).write(
                items,
                surroundings,
                leavingOut: &left
            )
        } else {
            let plain = try text(items, &left)
            count = items.count - left.filter { name, _ in items.contains { $0.entry.name == name } }.count
            let sealed = try seal(plain, surroundings)
            try SecretFile.write(
                sealed,
                to: output == "-" ? nil : output,
                standardOutput: surroundings.standardOutput,
                replacing: replace
            )
        }
        surroundings.remark("Exported \(Count.text(count, "password")).")
        guard !left.isEmpty else { return }
        surroundings.remark("Left out:")
        for (name, reason) in left { surroundings.remark("  \(name.printable): \(reason)") }
        throw ExitCode.failure
    }

    private func chosen(_ surroundings: Surroundings) throws(Refusal) -> [CredentialStore.Entry] {
        var entries: [CredentialStore.Entry] = []
        for name in names {
            let entry = try surroundings.item(try ItemName.choices(name, filter), named: name)
            for entry in [entry] + (try surroundings.attachments(of: entry).entries)
            where !entries.contains(where: entry.isSame) { entries.append(entry) }
        }
        guard all else { return entries }
        let choice = ItemChoice(
            service: "",
            account: filter.account,
            itemClass: filter.itemClass?.itemClass,
            group: filter.group,
            address: filter.address.parts
        )
        let found = try surroundings.withItems(in: filter.group) { (store) throws(KeychainError) in
            var found: [CredentialStore.Entry] = []
            for itemClass in choice.classes { found += try store.entries(itemClass, [:]) }
            return found
        }
        // Some can be read while others are locked: all are all of them.
        let status = try refusing { () throws(KeychainError) in try surroundings.keychain.device.status() }
        guard !status.isLocked else { throw Refusal(ofItem: KeychainError(DeviceError.locked)) }
        return found.filter { entry in
            choice.matches(entry) && filter.account.map(entry.account.hasSameBytes) ?? true
        }
        .map { (name: $0.name, entry: $0) }.sorted { $0.name < $1.name }.map(\.entry)
    }

    /// What is set aside, and so in no list.
    private func damaged(_ surroundings: Surroundings) throws(Refusal) -> [(name: String, reason: String)] {
        let classes = filter.itemClass.map { [$0.itemClass] } ?? PasswordClass.allCases.map(\.itemClass)
        let count = try surroundings.withItems(in: filter.group) { (store) throws(KeychainError) in
            try classes.map { (itemClass) throws(KeychainError) in try store.countOfDamaged(itemClass) }.reduce(0, +)
        }
        guard count > 0 else { return [] }
        return [(Count.text(count, "password"), "damaged; 'keychainctl check' says what can be had back")]
    }

    private func isDamaged(_ entry: CredentialStore.Entry, _ surroundings: Surroundings) -> Bool {
        let store = CredentialStore(surroundings.keychain, in: nil, forOwner: true)
        do throws(KeychainError) { _ = try store.secret(of: entry) } catch { return error.status == .decode }
        return false
    }

    private func text(
        _ items: [ExportedItem],
        _ left: inout [(name: String, reason: String)]
    ) throws(Refusal) -> SecretBytes {
        switch format {
        case .json: return SecretBytes(Array(PasswordDocument.text(items).utf8))
        case .csv:
            let (text, leftOut) = PasswordTable.text(items)
            left += leftOut.map { ($0.item.entry.name, "\($0.reason); json has it") }
            return SecretBytes(Array(text.utf8))
        case .env, .pass:
            var (lines, names) = ("", Set<String>())
            for item in items {
                do throws(Refusal) {
                    let (name, line) = try VariableLine.of(item)
                    guard names.insert(name).inserted else { throw Refusal("another one has the name \(name), too") }
                    lines += line + "\n"
                } catch { left.append((item.entry.name, "\(error)")) }
            }
            return SecretBytes(Array(lines.utf8))
        }
    }

    private func seal(_ plain: SecretBytes, _ surroundings: Surroundings) throws(Refusal) -> SecretBytes {
        if let descriptor {
            let passphrase = try SecretInput.descriptor(descriptor)
                .read(.passphrase, .newApplicationPassword, reason: "seal the passwords")
            guard !passphrase.isEmpty else { throw Refusal("the passphrase is empty") }
            return try AgeFile.sealed(plain, by: passphrase)
        }
        guard !ageRecipient.isEmpty else { return plain }
        let input = try MemoryFile.descriptor(of: plain)
        defer { close(input) }
        let words = ["age", "--encrypt"] + ageRecipient.flatMap { ["--recipient", $0] }
        return try surroundings.filter(words, input, 2 * ImportFileCommand.largestFile)
    }
}

/// A line of an `.env` file.
enum VariableLine {
    /// The name and the line for a password: its service, or service and account, in capitals unless it is a name
    /// already.
    static func of(_ item: ExportedItem) throws(Refusal) -> (name: String, line: String) {
        guard let text = item.secret.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }),
            !text.unicodeScalars.contains("\0")
        else { throw Refusal("its password cannot be a variable: it is not UTF-8, or has a NUL") }
        var name = item.entry.account.isEmpty ? item.entry.service : item.entry.name
        if !EnvironmentFile.isName(name) {
            let parts = name.uppercased().unicodeScalars.map { scalar in
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                    ? String(scalar) : "_"
            }
            name = parts.joined()
            if !EnvironmentFile.isName(name) { name = "_\(name)" }
        }
        guard text.unicodeScalars.contains("'") else { return (name, "\(name)='\(text)'") }
        var quoted = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            // A shell that reads the file runs commands between backquotes.
            case "\"", "\\", "$", "`": quoted += "\\\(scalar)"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return (name, "\(name)=\"\(quoted)\"")
    }
}
