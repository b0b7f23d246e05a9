// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore

/// `import`: adds the items of a file.
///
/// - Important: Differs from macOS: `-a` has no effect; a file that needs a passphrase, and is given none, is tried
///   with an empty one before prompting; the imported items are also listed with `-f pkcs12`.
struct ImportItems: Command {
    let options = OptionSyntax("k:t:f:P:wxa:AT:h", secrets: "P", leadingOperands: 1, pairs: "a")

    static let function = "SecKeychainItemImport"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var request = Request()
        for option in invocation.arguments.options { try request.parse(option) }
        try invocation.checkOptions(options)
        guard let path = invocation.arguments.operands.first, invocation.arguments.operands.count == 1, !path.isEmpty,
            !(path == "-h")
        else {
            throw CommandFailure.usage
        }
        let bytes: SecretBytes
        do {
            bytes = try InputFile.bytes(path)
        } catch {
            throw CommandFailure("security: Error reading infile \(path): \(error.text)")
        }
        if request.format == .pkcs12, request.passphrase == nil {
            request.passphrase = Word(try session.prompts.ask("password to unlock \(path): "))
        }
        let file = try failing { () throws(KeychainError) in try request.file(of: bytes, at: path, in: session) }
        let destination = try session.destination(request.keychain)
        try failing { () throws(KeychainError) in try add(file, request, to: destination) }
        for line in Self.report(file.items) { try session.output.write(line) }
        return 0
    }

    /// Adds every item; the first failure is reported after all have been tried.
    ///
    /// A PKCS #12 file may contain items that exist already, such as the certificates of an issuer, or the key of a
    /// renewed certificate: that alone is not a failure as long as something else is new.
    private func add(
        _ file: ImportedFile,
        _ request: Request,
        to destination: any ItemDestination
    ) throws(KeychainError) {
        var failures: [KeychainError] = []
        let items = file.items.flatMap(\.storedItems)
        for item in items {
            let new = NewItem(item: item, isExtractable: request.isExtractable, access: request.access)
            do throws(KeychainError) {
                try destination.add(new)
            } catch {
                failures.append(error)
            }
        }
        let isPassedOver = file.format == .pkcs12 && failures.count < items.count
        if let failure = failures.first(where: { !(isPassedOver && $0.status == .duplicateItem) }) { throw failure }
    }

    /// The number of items of each kind; kinds without items are omitted.
    private static func report(_ items: [ExternalItem]) -> [ByteText] {
        let kinds = items.map { item in
            switch item.contents {
            case .identity: 0
            case .key: 1
            case .certificate: 2
            }
        }
        let names = [("identity", "identities"), ("key", "keys"), ("certificate", "certificates")]
        return names.enumerated().compactMap { kind, name in
            let count = kinds.count { $0 == kind }
            return count == 0 ? nil : "\(count) \(count == 1 ? name.0 : name.1) imported.\n"
        }
    }

    /// Reports an error as macOS does, with status 1.
    private func failing<Result>(_ body: () throws(KeychainError) -> Result) throws(CommandFailure) -> Result {
        do {
            return try body()
        } catch {
            throw CommandFailure(error, in: Self.function).withStatusOne
        }
    }
}

extension Session {
    /// The keychain to add items to; without a name the default one.
    fileprivate func destination(_ name: Word?) throws(CommandFailure) -> any ItemDestination {
        do throws(KeychainError) {
            return try keychains.target(name)
        } catch {
            throw CommandFailure(error, in: ImportItems.function).withStatusOne
        }
    }
}

/// What to import.
private struct Request {
    var keychain: Word?
    var format = ExternalFormat.unknown
    var type = ExternalItemType.unknown
    var passphrase: Word?
    var isExtractable = true
    var access = RequestedAccess()

    mutating func parse(_ option: ParsedOptions.Option) throws(CommandFailure) {
        if try access.parse(option) { return }
        switch option.letter {
        case "k": keychain = option.value
        case "t":
            guard let type = FormatName.type(option.value) else { throw CommandFailure.usage }
            self.type = type
        case "f":
            guard let format = FormatName.format(option.value) else { throw CommandFailure.usage }
            self.format = format
        case "P": passphrase = option.value
        case "x": isExtractable = false
        // Encrypted input is detected automatically; and there is nowhere to store custom attributes.
        case "w", "a": break
        default: throw CommandFailure.usage
        }
    }

    /// The items of a file with the expected format and kind.
    func file(of bytes: SecretBytes, at path: Word, in session: Session) throws(KeychainError) -> ImportedFile {
        do throws(KeychainError) {
            let file = try read(bytes, at: path, in: session)
            try file.expect(expectation(file), type, fileName: path.text)
            return file
        } catch {
            guard format == .pkcs12, let status = Self.statusesOfPKCS12[error.status] else { throw error }
            throw KeychainError(status, error.reason)
        }
    }

    /// The messages of macOS for a named format, in place of those for a guessed one.
    private static let statusesOfPKCS12: [Status: Status] = [
        .pkcs12VerifyFailure: .authenticationFailed, .unknownFormat: .decode,
    ]

    /// A private key is the same key in plain and encrypted form.
    private func expectation(_ file: ImportedFile) -> ExternalFormat {
        let formats: Set<ExternalFormat> = [.openSSL, .wrappedPKCS8]
        return formats.isSuperset(of: [format, file.format]) ? file.format : format
    }

    private func read(_ bytes: SecretBytes, at path: Word, in session: Session) throws(KeychainError) -> ImportedFile {
        guard passphrase == nil else { return try ImportedFile(bytes, passphrase: text(passphrase)) }
        do throws(KeychainError) {
            return try ImportedFile(bytes, passphrase: nil)
        } catch {
            guard error.status == .passphraseRequired else { throw error }
        }
        if let file = try? ImportedFile(bytes, passphrase: "") { return file }
        guard let answer = session.prompts.answer("passphrase for \(path): ") else {
            throw KeychainError(.passphraseRequired, "the file is encrypted, and there is no passphrase")
        }
        return try ImportedFile(bytes, passphrase: text(answer))
    }

    private func text(_ word: Word?) throws(KeychainError) -> String? {
        guard let word else { return nil }
        guard let text = word.text else { throw KeychainError(.invalidPassword, "the passphrase is not UTF-8") }
        return text
    }
}
