// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import Glibc
import KeychainAuthenticators
import KeychainCore

/// `keychainctl import file`.
struct ImportFileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "file",
        abstract: "Takes the passwords of a file of another program, or of 'keychainctl export'.",
        discussion: CommandDiscussion.text(
            """
            Formats: \(ImportFormat.names). The format is recognized by the content. A folder is a store of pass or \
            gopass, whose entries gpg decrypts. A file that is sealed by age is opened by --passphrase-fd, or by the \
            program age with --age-identity.

            A password that the keychain has with the same secret and attributes is left, so that a second run adds \
            nothing, and goes on where the first was ended. One that it has otherwise stays, and is shown with what \
            differs, unless --replace or --keep-both is given. What has no place in the keychain is counted. The exit \
            status is 1 unless every password of the file is in the keychain then.
            """,
            examples: [
                "keychainctl import file passwords.csv --dry-run": "Shows what would be added, and changes nothing.",
                "keychainctl import file ~/.password-store": "Takes a store of pass.",
                "keychainctl import file export.1pux --keep-both":
                    "Adds what the keychain has otherwise under other names.",
            ]
        )
    )

    @Argument(help: "The file or folder; - for standard input.", completion: .file())
    var path: String

    @OptionGroup var misplaced: MisplacedSecret

    @Option(help: "The only format that the file may have: \(ImportFormat.names).")
    var format: ImportFormat?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The access group of the passwords; else that which all programs share.", valueName: "group")
    )
    var group: String?

    @Option(help: "The service of variables of an .env file, whose names are the accounts then.")
    var service: String?

    @Flag(name: [.long, .customShort("n")], help: "Show what would be added, and change nothing.")
    var dryRun = false

    @Flag(help: "Take what the file has where the keychain has a password otherwise.")
    var replace = false

    @Flag(help: "Add what the keychain has otherwise under another name, such as 'example.com (2)'.")
    var keepBoth = false

    @Flag(help: "Write a JSON object.")
    var json = false

    @Flag(name: .shortAndLong, help: "Say nothing but errors.")
    var quiet = false

    @OptionGroup var seal: OpenedSealOptions

    /// The most bytes of a file.
    static let largestFile = 256 << 20

    func validate() throws {
        guard !replace || !keepBoth else { throw ValidationError("--replace and --keep-both exclude each other.") }
        guard !json || !quiet else { throw ValidationError("--json and --quiet exclude each other.") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        if let group { try AccessGroupName.check(group) }
        try seal.check()
        // Before somebody is asked for a passphrase.
        let progress = ProgressLine(surroundings, isQuiet: quiet || json)
        var (format, file) = try read(surroundings, progress)
        for index in file.items.indices {
            file.items[index].group = group ?? file.items[index].group ?? Client.commonGroup
        }
        let transfer = FileImport(
            into: surroundings.keychain,
            by: replace ? .replace : keepBoth ? .keepBoth : .skip,
            isRehearsal: dryRun
        )
        // A locked keychain asks before anything is done.
        _ = try surroundings.withItems { (store) throws(KeychainError) in try store.entries(.genericPassword, [:]) }
        let status = try refusing { () throws(KeychainError) in try surroundings.keychain.device.status() }
        guard !status.isLocked else { throw Refusal(ofItem: KeychainError(DeviceError.locked)) }
        var report = FileImport.Report()
        var failure: KeychainError?
        do throws(KeychainError) {
            try transfer.take(file.items, into: &report) { progress.show("imported", $0, of: file.items.count) }
        } catch { failure = error }
        let text = FileImportText(report: report, file: file, format: format, isRehearsal: dryRun)
        if json {
            surroundings.printLine(text.json)
        } else if !quiet {
            text.lines.forEach(surroundings.printLine)
        }
        if let failure {
            throw Refusal(
                "\(Refusal(ofItem: failure)); what is in the keychain stays there, and the next import goes on",
                Refusal(ofItem: failure).status
            )
        }
        guard text.isComplete else {
            if quiet { throw Refusal("not every password of the file is in the keychain") }
            throw ExitCode.failure
        }
    }

    private func read(
        _ surroundings: Surroundings,
        _ progress: ProgressLine
    ) throws(Refusal) -> (ImportFormat, ImportedPasswords) {
        var status = stat()
        if path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            guard format == nil || format == .pass else {
                throw Refusal("\(path.printable) is a folder, which a store of pass is, but no other format")
            }
            let store = PassStore(path) { (descriptor) throws(Refusal) in
                let words = ["gpg", "--quiet", "--batch", "--decrypt"]
                return try surroundings.filter(words, descriptor, ItemLimits.secretByteCount)
            }
            return (.pass, try store.file { progress.show("decrypted", $0, of: $1) })
        }
        var contents = try SecretFile.read(
            path,
            standardInput: surroundings.standardInput,
            atMost: Self.largestFile
        )
        if AgeFile.isOne(contents) { contents = try seal.open(contents, surroundings) }
        do throws(Refusal) {
            return try ImportFormat.read(contents, as: format, ImportFormat.Options(service: service))
        } catch { throw Refusal("\(path.printable): \(error)", error.status) }
    }
}

/// How a sealed file is opened.
struct OpenedSealOptions: ParsableArguments {
    @Option(
        name: .customLong("passphrase-fd"),
        help: ArgumentHelp("Open a sealed file by the passphrase on this descriptor.", valueName: "descriptor"),
        transform: GivenDescriptor.init(argument:)
    )
    var descriptor: GivenDescriptor?

    @Option(
        help: ArgumentHelp(
            "Open a sealed file by the identities of this file, with the program age.",
            valueName: "file"
        ),
        completion: .file()
    )
    var ageIdentity: String?

    func validate() throws {
        guard descriptor == nil || ageIdentity == nil else {
            throw ValidationError("--passphrase-fd and --age-identity exclude each other.")
        }
    }

    func check() throws { try descriptor?.check(.reading, of: "--passphrase-fd") }

    /// The contents of a sealed file.
    func open(_ contents: SecretBytes, _ surroundings: Surroundings) throws(Refusal) -> SecretBytes {
        guard ageIdentity != nil || AgeFile.hasPassphrase(contents) else {
            throw Refusal("the file is sealed for recipients; give the file of an identity by --age-identity")
        }
        guard let ageIdentity else {
            let source = descriptor.map { SecretInput.descriptor($0) } ?? .person(surroundings.authenticator)
            let passphrase = try source.read(.passphrase, .applicationPassword, reason: "open the sealed file")
            return try AgeFile.opened(contents, by: passphrase)
        }
        let input = try MemoryFile.descriptor(of: contents)
        defer { close(input) }
        let words = ["age", "--decrypt", "--identity", ageIdentity]
        return try surroundings.filter(words, input, ImportFileCommand.largestFile)
    }
}

extension SecretInput.Name {
    /// The passphrase of a sealed file.
    static let passphrase = SecretInput.Name(text: "passphrase", options: "--passphrase-fd", label: "Passphrase")
}

/// Says how far something is, if it takes longer than a second and there is a terminal.
final class ProgressLine {
    private let surroundings: Surroundings
    private let isQuiet: Bool
    private var last: Int

    /// One that says nothing if it is quiet.
    init(_ surroundings: Surroundings, isQuiet: Bool) {
        (self.surroundings, last) = (surroundings, surroundings.seconds())
        self.isQuiet = isQuiet || !surroundings.isTerminal(STDERR_FILENO)
    }

    /// So many of so many are done.
    func show(_ what: String, _ done: Int, of all: Int) {
        guard !isQuiet else { return }
        let now = surroundings.seconds()
        guard now > last + 1, done < all else { return }
        last = now
        surroundings.remark("\(done) of \(all) \(what)")
    }
}
