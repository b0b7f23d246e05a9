// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainTrust

/// The environment of commands.
struct Session {
    let keychains: Keychains

    /// The trust settings of the user and the administrator.
    let trustSettings: TrustSettingsStore

    let output: Output
    let errors: Output

    /// Standard input: the commands of interactive mode, and passwords if there is no terminal.
    let input: LineReader

    let prompts: PasswordPrompt

    /// Whether remarks are suppressed (`-q`).
    let isQuiet: Bool

    /// Whether each command is echoed on standard error (`-v`).
    let isVerbose: Bool

    /// Whether other commands follow in this process.
    let isInteractive: Bool

    /// Runs a command.
    ///
    /// - Parameter words: the name and its arguments; without words, nothing is done.
    /// - Returns: The 32-bit status.
    /// - Throws: ``Output/Failure``
    func run(_ words: [Word]) throws -> Int32 {
        guard let name = words.first else { return 0 }
        guard let entry = CommandTable.entry(matching: name) else {
            try errors.write("security: unknown command \"\(name)\"\n")
            try suggest(for: name)
            return 1
        }
        let words = Array(words.dropFirst())
        if isVerbose { try echo(entry, words) }
        do {
            return try run(entry, typedName: name, words)
        } catch let failure as CommandFailure {
            if let message = failure.message { try errors.write("\(message)\n") }
            try explainLock(failure.cause, ParsedOptions(words, entry.options).operands)
            try explainMissingDefault(failure.cause)
            if failure.status == CommandFailure.usage.status {
                try errors.write("\(entry.usage)        \(entry.summary)\n")
            }
            return failure.status
        }
    }

    /// Prints to a terminal what an unknown command may have meant.
    ///
    /// - Throws: ``Output/Failure``
    func suggest(for word: Word) throws {
        // Scripts see what macOS prints.
        guard !isQuiet, isatty(errors.descriptor) == 1, let text = SuggestedCommand.text(for: word) else { return }
        try errors.write(ByteText("security: \(text)\n"))
    }

    private func run(_ entry: CommandTable.Entry, typedName: Word, _ words: [Word]) throws -> Int32 {
        let invocation = Invocation(
            name: entry.name,
            typedName: typedName,
            words: words,
            arguments: ParsedOptions(words, entry.options)
        )
        guard let command = entry.makeCommand?() else {
            if invocation.asksForUsage { throw CommandFailure.usage }
            throw CommandFailure("security: \(entry.name): \(entry.remark ?? "")")
        }
        return try command.run(invocation, in: self)
    }

    /// Prints the remedy for a status caused by the lock of the data protection keychain.
    ///
    /// - Parameters:
    ///   - status: the status that the keychain returned.
    ///   - operands: the keychains that the command uses.
    /// - Throws: ``Output/Failure``
    func explainLock(_ status: Status?, _ operands: [Word]) throws {
        guard status == .interactionNotAllowed, keychains.reachesDataProtection(by: operands) else { return }
        let keychain = keychains.dataProtection
        guard keychain.isLocked else { return }
        try errors.write(keychain.unlocksForAll() ? Self.lockedForAllRemark : Self.lockedRemark)
    }

    /// Prints to a terminal how there is a default keychain again, and why what stands in for one cannot be locked.
    ///
    /// - Throws: ``Output/Failure``
    private func explainMissingDefault(_ status: Status?) throws {
        // Scripts see what macOS prints.
        guard status == .noDefaultKeychain, !isQuiet, isatty(errors.descriptor) == 1 else { return }
        try errors.write(Self.missingDefaultRemark)
    }

    private static let missingDefaultRemark = ByteText(
        "security: 'security default-keychain -s login.keychain' chooses the login keychain, which can be locked once it has "
            + "a passcode ('keychainctl device set-passcode')\n"
    )

    /// Prints why a list may lack items that exist but cannot be shown.
    ///
    /// - Parameters:
    ///   - stores: the keychains.
    ///   - classes: the listed classes.
    ///   - function: the macOS function that lists them.
    ///   - operands: the keychains that the command uses.
    /// - Throws: ``Output/Failure``
    func explainGaps(
        in stores: [any ItemStore],
        of classes: [ItemClass],
        _ function: String,
        _ operands: [Word]
    ) throws {
        do throws(KeychainError) { try stores.checkWithholdsNothing(of: classes) } catch {
            let failure = CommandFailure(error, in: function)
            if let message = failure.message { try errors.write("\(message)\n") }
            try explainLock(failure.cause, operands)
        }
    }

    /// The remedy for items that need a passcode.
    private static let lockedRemark: ByteText =
        "security: the keychain is locked; to run a command unlocked: keychainctl device unlock -- security ...\n"

    /// The same if a service keeps an unlock.
    private static let lockedForAllRemark: ByteText =
        "security: the keychain is locked; to unlock it: security unlock-keychain\n"

    /// Prints the full command.
    ///
    /// - Important: Differs from macOS: secret values appear as `***`.
    private func echo(_ entry: CommandTable.Entry, _ words: [Word]) throws {
        let words = SecretArguments.masked(words, entry.options)
        try errors.write(words.reduce(ByteText(entry.name)) { "\($0) \"\($1)\"" } + "\n")
    }
}

extension Invocation {
    /// Whether `-h` is in the place of an option.
    fileprivate var asksForUsage: Bool { words.first.map { $0 == "-h" } ?? false }
}
