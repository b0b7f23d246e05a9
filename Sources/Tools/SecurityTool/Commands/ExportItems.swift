// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore
import KeychainKeys

/// `export`: writes certificates and keys to a file, or to standard output.
struct ExportItems: Command {
    let options = OptionSyntax("k:t:f:wpP:o:h", secrets: "P")

    private static let function = "SecKeychainItemExport"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var request = Request()
        for option in invocation.arguments.options { try request.parse(option) }
        try invocation.checkOptions(options)
        guard invocation.arguments.operands.isEmpty else { throw CommandFailure.usage }
        let sources = try sources(request.keychain, session)
        let bytes: SecretBytes
        do throws(KeychainError) {
            bytes = try request.file(sources, session)
        } catch {
            let reachesDataProtection = session.keychains.reachesDataProtection(by: request.keychain.map { [$0] } ?? [])
            let detail = Self.detail(error, canBackUp: reachesDataProtection)
            throw CommandFailure(error.status, in: Self.function, detail: detail).withStatusOne
        }
        guard let path = request.output else {
            try session.output.write(bytes)
            return 0
        }
        let file = try OutputFile(path)
        try file.output.write(bytes)
        try file.close()
        if !session.isQuiet { try session.errors.write("...\(bytes.count) bytes written to \(path)\n") }
        return 0
    }

    /// The remedy; if items are locked, the session prints it.
    private static func detail(_ error: KeychainError, canBackUp: Bool) -> String? {
        guard error.status == .decode else { return error.detail }
        return "nothing was exported, because the file would lack an item that is damaged; use -t to export other "
            + "kinds of items" + (canBackUp ? ", or 'keychainctl backup create' to save all that are not damaged" : "")
    }

    /// The keychains to read; without a name all that are searched.
    private func sources(_ name: Word?, _ session: Session) throws(CommandFailure) -> [any ItemStore] {
        do throws(KeychainError) {
            guard let name else { return try session.keychains.searched(by: []) }
            _ = try session.keychains.target(name)
            return try session.keychains.searched(by: [name])
        } catch {
            throw CommandFailure(error, in: Self.function).withStatusOne
        }
    }
}

/// What to export, and how.
private struct Request {
    var keychain: Word?
    var selection = Selection.all
    var format = ExternalFormat.unknown
    var isOlderPKCS12 = false
    var wrapsKeys = false
    var isArmored = false
    var passphrase: Word?
    var output: Word?

    /// The selected items.
    enum Selection: String {
        case certs
        case allKeys
        case pubKeys
        case privKeys
        case identities
        case all

        /// The classes to export, in the order of the file.
        var classes: [ItemClass] {
            switch self {
            case .certs: [.certificate]
            case .allKeys, .pubKeys, .privKeys: [.key]
            case .identities: [.identity]
            case .all: [.certificate, .key]
            }
        }

        /// The classes under which these items are stored.
        var storedClasses: [ItemClass] { self == .identities ? [.certificate, .key] : classes }

        func includes(_ item: ExternalItem) -> Bool {
            switch (self, item.contents) {
            case (.privKeys, .key(.public)), (.all, .key(.public)), (.pubKeys, .key(.private)): false
            default: true
            }
        }
    }

    mutating func parse(_ option: ParsedOptions.Option) throws(CommandFailure) {
        switch option.letter {
        case "k": keychain = option.value
        case "t":
            guard let selection = option.value.text.flatMap(Selection.init) else { throw CommandFailure.usage }
            self.selection = selection
        case "f":
            guard let format = FormatName.format(option.value) else { throw CommandFailure.usage }
            self.format = format
            isOlderPKCS12 = option.value == FormatName.olderPKCS12
        case "w": wrapsKeys = true
        case "p": isArmored = true
        case "P": passphrase = option.value
        case "o": output = option.value
        default: throw CommandFailure.usage
        }
    }

    /// Creates the file from the keychain's items.
    func file(_ sources: [any ItemStore], _ session: Session) throws(KeychainError) -> SecretBytes {
        let items = try items(sources)
        // A file that lacks an item would be mistaken for a complete backup.
        try sources.checkWithholdsNothing(of: selection.storedClasses)
        guard !items.isEmpty else { throw KeychainError(.itemNotFound, "the keychain has no such item") }
        var encoder = ItemEncoder(format)
        encoder.isArmored = isArmored
        encoder.wrapsKeys = wrapsKeys
        if isOlderPKCS12 { encoder.encryption = .tripleDES }
        if let passphrase { encoder.passphrase = try text(passphrase) }
        do throws(KeychainError) {
            return try encoder.file(items)
        } catch {
            guard error.status == .passphraseRequired,
                let answer = session.prompts.newAnswer(
                    "passphrase for export: ",
                    again: "retype passphrase for export: "
                )
            else { throw error }
            encoder.passphrase = try text(answer)
            return try encoder.file(items)
        }
    }

    private func items(_ sources: [any ItemSource]) throws(KeychainError) -> [ExternalItem] {
        var items: [ExternalItem] = []
        for itemClass in selection.classes {
            var all: [LabelledReference] = []
            for source in sources { all += try source.references(itemClass, skipsDamaged: false) }
            for found in all {
                guard let item = ExternalItem(found.reference, label: found.label) else {
                    // A key of the Secure Enclave cannot be exported, and an invalid certificate is not one.
                    continue
                }
                guard selection.includes(item) else { continue }
                guard found.reference.isExtractable else {
                    throw KeychainError(.dataNotAvailable, "a key was imported as one that is not exported")
                }
                items.append(item)
            }
        }
        return items
    }

    private func text(_ word: Word) throws(KeychainError) -> String {
        guard let text = word.text else { throw KeychainError(.invalidPassword, "the passphrase is not UTF-8") }
        return text
    }
}

extension ItemReference {
    /// Whether the key is marked as extractable.
    fileprivate var isExtractable: Bool {
        switch self {
        case .certificate, .keychainItem: true
        case .key(let key): ![.boolean(false), .number(.integer(0))].contains(key.attributes["extr"])
        case .identity(let identity): ItemReference.key(identity.key).isExtractable
        }
    }
}

extension Status {
    /// The contents of an item are unavailable: `errSecDataNotAvailable`.
    fileprivate static let dataNotAvailable = Status(rawValue: -25316)
}
