// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `add-generic-password` and `add-internet-password`.
///
/// - Important: Differs from macOS: a keychain that does not exist is an error, and nothing is stored elsewhere.
struct AddPassword: Command {
    let kind: PasswordKind

    var options: OptionSyntax { kind.addOptions }

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var request = Request(PasswordFields(kind, function: kind.addFunction))
        for option in invocation.arguments.options { try request.take(option) }
        let asksForPassword = invocation.arguments.problem?.isPrompt ?? false
        if !asksForPassword { try invocation.checkOptions(options) }
        let operands = invocation.arguments.operands
        guard operands.count < 2, operands.first.map({ !$0.isEmpty }) ?? true, request.isComplete else {
            throw CommandFailure.usage
        }
        if asksForPassword {
            request.password = try session.prompts.askForNew(
                "password data for new item: ",
                again: "retype password for new item: "
            )
        }
        if let keychain = operands.first, !session.keychain.name.isMeant(by: keychain) {
            // Without its name, which may be a password that was mistyped.
            throw CommandFailure(.noSuchKeychain, kind.addFunction)
        }
        let subject = kind.subjectOfMessage(operands.first)
        guard request.updates else {
            try add(request, to: session.keychain, subject)
            return 0
        }
        let outcome = try update(request, in: session)
        if outcome == .updated { return 0 }
        guard let failure = failureToAdd(request, session.keychain, subject) else { return 0 }
        // Another process may have added the item meanwhile.
        let isLate = outcome == .absent && failure.status == Status.duplicateItem.rawValue
        if isLate, try update(request, in: session) == .updated { return 0 }
        throw failure
    }

    private func failureToAdd(_ request: Request, _ keychain: UserKeychain, _ subject: ByteText) -> CommandFailure? {
        do throws(CommandFailure) {
            try add(request, to: keychain, subject)
            return nil
        } catch {
            return error
        }
    }

    private enum Outcome {
        case updated
        case absent
        /// There is an item that did not take the change; that has been reported.
        case failed
    }

    /// Changes the first item that is meant.
    private func update(_ request: Request, in session: Session) throws -> Outcome {
        let function = "SecKeychainItemModifyContent"
        let meant = request.fields.itemsToUpdate
        do {
            let found = try reporting(function) { () throws(KeychainError) in
                try session.keychain.items(kind.itemClass, meant).first
            }
            if let found {
                try reporting(function) { () throws(KeychainError) in
                    try session.keychain.update(found, request.changes)
                }
                return .updated
            }
            let obstacle = try reporting(function) { () throws(KeychainError) in
                try session.keychain.obstacle(kind.itemClass, meant)
            }
            guard obstacle == .interactionNotAllowed else { return .absent }
            throw CommandFailure(.interactionNotAllowed, function)
        } catch let failure as CommandFailure {
            // The add that follows decides the status.
            if let message = failure.message { try session.errors.write("\(message)\n") }
            return .failed
        }
    }

    /// Adds a new item, unless any group has one like it: macOS distinguishes items within a keychain, not a group.
    private func add(_ request: Request, to keychain: UserKeychain, _ subject: ByteText) throws(CommandFailure) {
        let duplicates = request.fields.duplicates
        try reporting(kind.addFunction, subject) { () throws(KeychainError) in
            // The operators for conditions would lose the type of the error.
            for conditions in duplicates {
                var isDuplicate = try !keychain.items(kind.itemClass, conditions).isEmpty
                if !isDuplicate {
                    isDuplicate = try keychain.obstacle(kind.itemClass, conditions) == .interactionNotAllowed
                }
                if isDuplicate { throw KeychainError(.duplicateItem, "an item with the same key exists") }
            }
            try keychain.add(kind.itemClass, request.newItem)
        }
    }
}

/// What is to be added.
private struct Request {
    var fields: PasswordFields
    var password: SecretBytes?
    var updates = false

    init(_ fields: PasswordFields) { self.fields = fields }

    mutating func take(_ option: ParsedOptions.Option) throws(CommandFailure) {
        if try fields.take(option) { return }
        switch option.letter {
        case let letter where fields.kind.passwordLetters.contains(letter):
            password = option.value.bytes
        case "X":
            guard let bytes = HexadecimalText.bytes(option.value.bytes) else {
                throw CommandFailure(
                    status: CommandFailure.usage.status,
                    "security: Unable to convert password data (-X must specify valid hex digits)"
                )
            }
            password = bytes
        case "U": updates = true
        case "A": break
        case "T": try TrustedApplication.check(option.value)
        default: throw CommandFailure.usage
        }
    }

    /// Whether the account and the service or server are given, if only as empty strings.
    var isComplete: Bool { fields[.account] != nil && fields[fields.kind.subject] != nil }

    /// What an update changes; without a password the old one stays.
    var changes: [String: PropertyValue] { dictionary(fields.changedValues, password) }

    var newItem: [String: PropertyValue] { dictionary(fields.newValues, password ?? SecretBytes()) }

    private func dictionary(
        _ values: [AttributeName: PropertyValue],
        _ password: SecretBytes?
    ) -> [String: PropertyValue] {
        var dictionary = values.reduce(into: [:]) { $0[$1.key.description] = $1.value }
        if let password { dictionary[PropertyKey.valueData] = .data(password) }
        return dictionary
    }
}

extension ParsedOptions.Problem {
    /// Whether a password option stands last, without its value.
    fileprivate var isPrompt: Bool {
        guard case .missingValue(let letter) = self else { return false }
        return PasswordKind.promptLetters.contains(letter)
    }
}
