// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTrust

/// What commands work with.
struct Session {
    let keychains: Keychains

    /// Whom the user and the administrator trust.
    let trustSettings: TrustSettingsStore

    let output: Output
    let errors: Output

    /// Standard input: the commands of interactive mode, and passwords where there is no terminal.
    let input: LineReader

    let prompts: PasswordPrompt

    /// Whether remarks are left out (`-q`).
    let isQuiet: Bool

    /// Whether each command is repeated on standard error (`-v`).
    let isVerbose: Bool

    /// Runs a command.
    ///
    /// - Parameter words: the name and what follows it; none does nothing.
    /// - Returns: The status, of 32 bits.
    /// - Throws: ``Output/Failure``
    func run(_ words: [Word]) throws -> Int32 {
        guard let name = words.first else { return 0 }
        guard let entry = CommandTable.entry(matching: name) else {
            try errors.write("security: unknown command \"\(name)\"\n")
            return 1
        }
        let words = Array(words.dropFirst())
        if isVerbose { try echo(entry, words) }
        do {
            return try run(entry, typedName: name, words)
        } catch let failure as CommandFailure {
            if let message = failure.message { try errors.write("\(message)\n") }
            try explainLock(failure.cause, ParsedOptions(words, entry.options).operands)
            if failure.status == CommandFailure.usage.status {
                try errors.write("\(entry.usage)        \(entry.summary)\n")
            }
            return failure.status
        }
    }

    private func run(_ entry: CommandTable.Entry, typedName: Word, _ words: [Word]) throws -> Int32 {
        let invocation = Invocation(
            name: entry.name,
            typedName: typedName,
            words: words,
            arguments: ParsedOptions(words, entry.options)
        )
        switch entry.kind {
        case .command(let command):
            return try command.run(invocation, in: self)
        case .noMeaning:
            if invocation.asksForUsage { throw CommandFailure.usage }
            throw CommandFailure("security: \(entry.name): \(entry.remark ?? "")")
        }
    }

    /// Says what to do about a status, where the lock of the data protection keychain is why.
    ///
    /// - Parameters:
    ///   - status: what the keychain answered.
    ///   - operands: the keychains that the command works on.
    /// - Throws: ``Output/Failure``
    func explainLock(_ status: Status?, _ operands: [Word]) throws {
        guard status == .interactionNotAllowed, keychains.reachesDataProtection(by: operands) else { return }
        let keychain = keychains.dataProtection
        guard keychain.isLocked else { return }
        try errors.write(keychain.unlocksForAll() ? Self.lockedForAllRemark : Self.lockedRemark)
    }

    /// Says why a list lacks items that keychains have and that cannot be shown, if it may.
    ///
    /// - Parameters:
    ///   - stores: the keychains.
    ///   - classes: where what is listed may be.
    ///   - function: the function of macOS that lists them.
    ///   - operands: the keychains that the command works on.
    /// - Throws: ``Output/Failure``
    func explainGaps(
        in stores: [any ItemStore],
        of classes: [ItemClass],
        _ function: String,
        _ operands: [Word]
    ) throws {
        do throws(KeychainError) { try stores.checkWithholdsNothing(of: classes) } catch {
            let failure = CommandFailure(error, function)
            if let message = failure.message { try errors.write("\(message)\n") }
            try explainLock(failure.cause, operands)
        }
    }

    /// What to do about items that need a passcode.
    private static let lockedRemark: ByteText =
        "security: the keychain is locked; to run a command unlocked: keychainctl device unlock -- security ...\n"

    /// The same where a service keeps an unlock.
    private static let lockedForAllRemark: ByteText =
        "security: the keychain is locked; to unlock it: security unlock-keychain\n"

    /// Shows the command in full.
    ///
    /// - Important: Differs from macOS: secret values appear as `***`.
    private func echo(_ entry: CommandTable.Entry, _ words: [Word]) throws {
        let words = SecretArguments.masked(words, entry.options)
        try errors.write(words.reduce(ByteText(entry.name)) { "\($0) \"\($1)\"" } + "\n")
    }
}

extension Invocation {
    /// Whether `-h` stands where options stand.
    fileprivate var asksForUsage: Bool { words.first.map { $0 == "-h" } ?? false }
}
