// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl set`.
struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Stores a password, or replaces the secret of one that is there.",
        discussion: CommandDiscussion.text(
            """
            The secret is standard input to its end, without a final newline, or is asked for twice on a terminal; never \
            an argument, because other programs can see those. It goes to the access group that all programs of the user \
            share, as with 'security'. Of a password that is there, only what is given changes.
            """,
            examples: [
                "keychainctl set github.com/ada": "Asks for the password, and stores it.",
                "./make-token | keychainctl set com.example.tool/ada": "Stores what a program writes.",
                "keychainctl set com.example.tool/ada --file key.pem": "Stores a file, byte for byte.",
                "keychainctl set --class internet example.com/ada": "Stores the password of a server.",
            ]
        )
    )

    @OptionGroup var item: ItemName
    @OptionGroup var misplaced: MisplacedSecret

    @Option(help: "Store this file, byte for byte; - for standard input.", completion: .file())
    var file: String?

    @Flag(help: "Keep the final newline of standard input.")
    var keepNewline = false

    @Option(help: "The label (kSecAttrLabel); else the service.")
    var label: String?

    @Option(help: "The comment (kSecAttrComment).")
    var comment: String?

    @Option(help: "When it can be read: \(AccessibleName.names).")
    var accessible: AccessibleName?

    @Flag(help: "Give it to the user's other devices, where the keychain is synchronized.")
    var synchronizable = false

    func validate() throws {
        guard file == nil || !keepNewline else { throw ValidationError("--file keeps every newline.") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let target = try surroundings.target(of: item, synchronizable: synchronizable)
        let secret = try readSecret(surroundings)
        try surroundings.store(secret, at: target, attributes)
        surroundings.remark("\(target.entry == nil ? "Stored" : "Replaced") \(target.name.printable).")
    }

    private var attributes: [AttributeName: PropertyValue] {
        var attributes: [AttributeName: PropertyValue] = [:]
        attributes[.label] = label.map { .string($0) }
        attributes["icmt"] = comment.map { .string($0) }
        attributes[.accessible] = accessible.map { .string($0.accessibility.rawValue) }
        return attributes
    }

    private func readSecret(_ surroundings: Surroundings) throws(Refusal) -> SecretBytes {
        if let file { return try SecretFile.read(file, standardInput: surroundings.standardInput) }
        guard !surroundings.isTerminal(surroundings.standardInput) else {
            let name = SecretInput.Name(text: "password", options: "standard input or --file", label: "Password")
            let secret = try SecretInput.person(surroundings.authenticator)
                .read(name, .newApplicationPassword, reason: "store a password")
            guard !secret.isEmpty else { throw Refusal("no password was given") }
            return secret
        }
        let input = try SecretFile.read("-", standardInput: surroundings.standardInput)
        // A program that failed has written nothing.
        guard !input.isEmpty else {
            throw Refusal("standard input is empty; '--file /dev/null' stores an empty secret")
        }
        return keepNewline ? input : input.withoutFinalNewline
    }
}

/// The levels of protection, by the ends of Apple's names.
enum AccessibleName: String, ExpressibleByArgument, CaseIterable {
    case whenUnlocked = "when-unlocked"
    case afterFirstUnlock = "after-first-unlock"
    case whenUnlockedThisDeviceOnly = "when-unlocked-this-device-only"
    case afterFirstUnlockThisDeviceOnly = "after-first-unlock-this-device-only"
    case whenPasscodeSetThisDeviceOnly = "when-passcode-set-this-device-only"

    /// All of them, for a message.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    var accessibility: Accessibility {
        switch self {
        case .whenUnlocked: .whenUnlocked
        case .afterFirstUnlock: .afterFirstUnlock
        case .whenUnlockedThisDeviceOnly: .whenUnlockedThisDeviceOnly
        case .afterFirstUnlockThisDeviceOnly: .afterFirstUnlockThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: .whenPasscodeSetThisDeviceOnly
        }
    }
}

/// Where a command stores a secret.
struct PasswordPlace {
    /// The password that is there; `nil` if a new one is added.
    let entry: CredentialStore.Entry?

    /// Service and account of a new one; its class is that of the choice, or generic.
    let choice: ItemChoice

    let isSynchronizable: Bool

    var name: String {
        entry?.name ?? (choice.account?.isEmpty == false ? "\(choice.service)/\(choice.account ?? "")" : choice.service)
    }
}

extension Surroundings {
    /// The password that a name means in the group of an option, or else in the common group; a new one if there is
    /// none.
    ///
    /// - Throws: ``Refusal`` if there are several, or if the name of a new one could be divided at several slashes.
    func target(of item: ItemName, synchronizable: Bool = false) throws(Refusal) -> PasswordPlace {
        try target(item.name, try item.choices(), synchronizable: synchronizable)
    }

    /// The password that a name means.
    func target(
        _ name: String,
        _ choices: [[ItemChoice]],
        synchronizable: Bool = false
    ) throws(Refusal) -> PasswordPlace {
        // Other accounts of the service are other items.
        let exact = (choices.first ?? []).map { choice in
            var choice = choice
            choice.account = choice.account ?? ""
            choice.group = choice.group ?? Client.commonGroup
            return choice
        }
        do throws(Refusal) {
            let entry = try self.item([exact], named: name)
            return PasswordPlace(entry: entry, choice: entry.choice, isSynchronizable: entry.isSynchronizable)
        } catch {
            guard error.status == .notFound else { throw error }
        }
        // The last one is the name without an account.
        let candidates = exact.count > 1 ? exact.dropLast() : exact[...]
        guard candidates.count == 1, let choice = candidates.first else {
            throw Refusal(
                "'\(name.printable)' has several slashes: give the account by --account, or a reference with %2F within a name",
                .usage
            )
        }
        guard !choice.service.isEmpty else { throw Refusal("a password has a service", .usage) }
        return PasswordPlace(entry: nil, choice: choice, isSynchronizable: synchronizable)
    }

    /// Stores a secret, and attributes that are given.
    func store(
        _ secret: SecretBytes,
        at target: PasswordPlace,
        _ attributes: [AttributeName: PropertyValue] = [:]
    ) throws(Refusal) {
        try withItems(in: target.choice.group) { (store) throws(KeychainError) in
            if let entry = target.entry { return try store.update(entry, attributes, secret: secret) }
            let itemClass = target.choice.itemClass ?? .genericPassword
            let service = PasswordClass(itemClass)?.service ?? .service
            var new: [AttributeName: PropertyValue] = [
                service: .string(target.choice.service), .account: .string(target.choice.account ?? ""),
                .label: .string(target.choice.service),
            ]
            if target.isSynchronizable { new[.synchronizable] = .boolean(true) }
            try store.add(itemClass, new.merging(attributes) { $1 }, secret: secret)
        }
    }
}
