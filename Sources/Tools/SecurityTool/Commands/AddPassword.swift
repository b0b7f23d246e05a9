// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `add-generic-password` and `add-internet-password`.
///
/// - Important: Differs from macOS: a keychain that does not exist is an error, and nothing is stored elsewhere; the
///   access list of `-T` and `-A` keeps no program from the item (``RequestedAccess``).
struct AddPassword: Command {
    let kind: PasswordKind

    var options: OptionSyntax { kind.addOptions }

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var request = Request(PasswordFields(kind, function: kind.addFunction))
        for option in invocation.arguments.options { try request.parse(option) }
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
        let subject = kind.subjectOfMessage(operands.first)
        // Repeated only if it looks like the name of a keychain: it may be a mistyped password.
        let isName = operands.first.map { "\($0)" as ByteText }.map(Self.looksLikeName) ?? true
        let target = { () throws(CommandFailure) in
            try reporting(kind.addFunction, about: isName ? subject : nil) { () throws(KeychainError) in
                try session.keychains.target(operands.first)
            }
        }
        guard request.updates else {
            try add(request, to: try target(), subject)
            return 0
        }
        // An update needs no default keychain: it uses the search list.
        if !operands.isEmpty { _ = try target() }
        let searched = try reporting(kind.addFunction, about: subject) { () throws(KeychainError) in
            try session.keychains.searched(by: operands)
        }
        let outcome = try update(request, in: searched, session.errors)
        if case .updated = outcome { return 0 }
        let store = try target()
        guard let failure = failureToAdd(request, to: store, about: subject) else { return 0 }
        // Another process may have added the item in the meantime.
        let isDuplicate = failure.status == Status.duplicateItem.rawValue
        if case .absent = outcome, isDuplicate,
            case .updated = try update(request, in: searched, session.errors)
        {
            return 0
        }
        // A duplicate is not reported if the store accepts no changes at all.
        if case .failed(let cause) = outcome, cause.concernsStore, isDuplicate {
            return cause.status
        }
        throw failure
    }

    /// Whether an operand is a path, or named like a keychain.
    private static func looksLikeName(_ operand: ByteText) -> Bool {
        let text = String(decoding: operand.bytes, as: UTF8.self)
        return text.contains("/") || text.hasSuffix(".keychain") || text.hasSuffix(".keychain-db")
    }

    private func failureToAdd(_ request: Request, to store: any ItemStore, about subject: ByteText) -> CommandFailure? {
        do throws(CommandFailure) {
            try add(request, to: store, subject)
            return nil
        } catch {
            return error
        }
    }

    private enum Outcome {
        case updated
        case absent
        /// An item exists but could not be changed; that has been reported.
        case failed(CommandFailure)
    }

    /// Changes the first matching item.
    private func update(_ request: Request, in stores: [any ItemStore], _ errors: Output) throws -> Outcome {
        let function = "SecKeychainItemModifyContent"
        let meant = request.fields.itemsToUpdate
        do {
            for store in stores {
                let found = try reporting(function) { () throws(KeychainError) in
                    try store.items(kind.itemClass, meant).first
                }
                if let found {
                    try reporting(function) { () throws(KeychainError) in
                        try store.update(
                            found,
                            attributes: request.changes,
                            secret: request.password,
                            access: request.access
                        )
                    }
                    return .updated
                }
                let obstacle = try reporting(function) { () throws(KeychainError) in
                    try store.obstacle(kind.itemClass, meant)
                }
                if obstacle == .interactionNotAllowed { throw CommandFailure(.interactionNotAllowed, in: function) }
            }
            return .absent
        } catch let failure as CommandFailure {
            // The add that follows decides the status.
            if let message = failure.message { try errors.write("\(message)\n") }
            return .failed(failure)
        }
    }

    /// Adds a new item, unless the keychain has one like it: in the data protection keychain in any group, because
    /// macOS distinguishes items by keychain, not by group.
    private func add(_ request: Request, to store: any ItemStore, _ subject: ByteText) throws(CommandFailure) {
        let duplicates = request.fields.duplicates
        try reporting(kind.addFunction, about: subject) { () throws(KeychainError) in
            try store.checkCanAdd()
            // The operators for conditions would lose the error type.
            for conditions in duplicates {
                var isDuplicate = try !store.items(kind.itemClass, conditions).isEmpty
                if !isDuplicate {
                    isDuplicate = try store.obstacle(kind.itemClass, conditions) == .interactionNotAllowed
                }
                if isDuplicate { throw KeychainError(.duplicateItem, "an item with the same key exists") }
            }
            try store.add(
                kind.itemClass,
                attributes: request.newItem,
                secret: request.password ?? SecretBytes(),
                access: request.access
            )
        }
    }
}

/// The item to add.
private struct Request {
    var fields: PasswordFields
    var password: SecretBytes?
    var updates = false
    var access = RequestedAccess()

    init(_ fields: PasswordFields) { self.fields = fields }

    mutating func parse(_ option: ParsedOptions.Option) throws(CommandFailure) {
        if try fields.parse(option) { return }
        if try access.parse(option) { return }
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
        default: throw CommandFailure.usage
        }
    }

    /// Whether the account and the service or server are given, even as empty strings.
    var isComplete: Bool { fields[.account] != nil && fields[fields.kind.subject] != nil }

    /// The attributes that an update changes besides the password.
    var changes: [String: PropertyValue] { Self.named(fields.changedValues) }

    var newItem: [String: PropertyValue] { Self.named(fields.newValues) }

    private static func named(_ values: [AttributeName: PropertyValue]) -> [String: PropertyValue] {
        values.reduce(into: [:]) { $0[$1.key.description] = $1.value }
    }
}

extension ParsedOptions.Problem {
    /// Whether a password option is last, without its value.
    fileprivate var isPrompt: Bool {
        guard case .missingValue(let letter) = self else { return false }
        return PasswordKind.promptLetters.contains(letter)
    }
}
