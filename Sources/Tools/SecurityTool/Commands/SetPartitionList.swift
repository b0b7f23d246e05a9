// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `set-key-partition-list`, `set-generic-password-partition-list` and `set-internet-password-partition-list`: replaces
/// the partition list of every matching item.
///
/// - Important: Differs from macOS: the list is stored and shown, and never keeps the owner's programs from an item; a
///   password is used as is, regardless of its characters.
struct SetPartitionList: Command {
    let items: Items

    /// The items to change.
    enum Items {
        case keys
        case passwords(PasswordKind)
    }

    var options: OptionSyntax {
        switch items {
        case .keys: OptionSyntax(":a:c:dD:ej:k:l:rsS:t:uvwh", secrets: "k")
        case .passwords(let kind) where kind.itemClass == .genericPassword:
            OptionSyntax(":a:c:C:D:G:j:l:s:S:k:h", secrets: "k")
        case .passwords: OptionSyntax("a:c:C:d:D:j:l:p:P:r:s:t:S:k:h", secrets: "k")
        }
    }

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var partitions: [String]?
        var given: SecretBytes?
        var search = Search(items)
        for option in invocation.arguments.options {
            switch option.letter {
            case "S":
                guard let text = option.value.text else { throw CommandFailure.usage }
                partitions = text.split(separator: ",").map(String.init)
            case "k": given = option.value.bytes
            default: try search.parse(option)
            }
        }
        try invocation.checkOptions(options)
        let operands = invocation.arguments.operands
        guard let partitions, operands.count < 2 else { throw CommandFailure.usage }
        let store = try store(operands.first, session.keychains)
        let name: ByteText = operands.first.map { "\($0)" } ?? "default"
        let password = try given ?? session.prompts.ask("password to unlock \(name): ")
        try failing("SecKeychainUnlock") { () throws(KeychainError) in
            switch store {
            case let file as FileKeychain: if try file.isLocked { try file.unlock(password) }
            case let keychain as UserKeychain where keychain.isLocked:
                try keychain.backend.device.unlock(passcode: password)
            default: break
            }
        }
        for item in try search.matches(in: store) {
            try session.output.write(AttributeBlock.text(item))
            // A public key has no access list.
            if item.itemClass == .key, KeyKind(item) == .public { continue }
            // Items of the data protection keychain have no such list, as they have no list of programs.
            guard let file = store as? FileKeychain else { continue }
            try failing("SecKeychainItemSetAccessWithPassword") { () throws(KeychainError) in
                try file.setPartitions(partitions, of: item, password: password)
            }
        }
        return 0
    }

    private func store(_ operand: Word?, _ keychains: Keychains) throws(CommandFailure) -> any ItemStore {
        try failing("SecKeychainOpen") { () throws(KeychainError) in
            keychains.store(try keychains.place(orDefault: operand))
        }
    }

    /// A search by the options.
    private enum Search {
        case keys(KeySearch)
        case passwords(PasswordFields)

        init(_ items: Items) {
            switch items {
            case .keys: self = .keys(KeySearch())
            case .passwords(let kind): self = .passwords(PasswordFields(kind, function: KeySearch.function))
            }
        }

        mutating func parse(_ option: ParsedOptions.Option) throws(CommandFailure) {
            let isTaken: Bool
            switch self {
            case .keys(var search):
                isTaken = try search.parse(option)
                self = .keys(search)
            case .passwords(var fields):
                isTaken = try fields.parse(option)
                self = .passwords(fields)
            }
            guard isTaken else { throw CommandFailure.usage }
        }

        func matches(in store: any ItemStore) throws(CommandFailure) -> [StoredItem] {
            switch self {
            case .keys(let search): return try search.keys(in: [store])
            case .passwords(let fields):
                return try failing(KeySearch.function) { () throws(KeychainError) in
                    let items = try store.items(fields.kind.itemClass, fields.filter)
                    guard items.isEmpty else { return items }
                    let status = try [store].statusOfEmptySearch(fields.kind.itemClass, fields.filter)
                    throw KeychainError(status, "there is no such item that can be shown")
                }
            }
        }
    }
}
