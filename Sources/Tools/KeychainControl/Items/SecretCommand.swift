// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl secret`: stores and reads secrets as files, for contents that lines and arguments cannot hold.
struct SecretCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret",
        abstract: "Stores a file as a generic password, writes one out, byte by byte, and shows attributes.",
        discussion: CommandDiscussion.text(
            """
            For keys, certificates and other secrets of more than one line. 'security find-generic-password' and \
            'security delete-generic-password' know the same items.
            """,
            examples: [
                "keychainctl secret store -s com.example.tool -a ada key.pem": "Stores a file.",
                "keychainctl secret read -s com.example.tool -a ada -o key.pem": "Writes it to a new file.",
            ]
        ),
        subcommands: [StoreSecretCommand.self, ReadSecretCommand.self, ShowAttributesCommand.self]
    )
}

/// The options that name the item.
struct SecretItemOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The service of the item (kSecAttrService).", completion: ItemCompletion.service)
    var service: String

    @Option(name: .shortAndLong, help: "Its account (kSecAttrAccount).", completion: ItemCompletion.account)
    var account: String

    @Option(help: ArgumentHelp("Its access group; else that of all programs of the user.", valueName: "group"))
    var accessGroup = Client.commonGroup

    /// The key of the item.
    var key: PropertyDictionary {
        PropertyDictionary([
            PropertyKey.itemClass: .string(ItemClass.genericPassword.rawValue), "svce": .string(service),
            AttributeName.account.description: .string(account),
            AttributeName.accessGroup.description: .string(accessGroup),
        ])
    }

    /// Performs a request as the user at the keyboard, who has access to every group.
    func perform(
        _ operation: KeychainRequest.Operation,
        on keychain: any KeychainBackend
    ) throws(Refusal) -> KeychainAnswer {
        do throws(KeychainError) {
            return try keychain.perform(KeychainRequest(operation, client: .person))
        } catch {
            switch error.status {
            case .duplicateItem:
                throw Refusal("there is an item with this service and account; --replace gives it another secret")
            case .itemNotFound:
                throw Refusal("there is no generic password with this service and account in the group \(accessGroup)")
            default: throw Refusal(error)
            }
        }
    }
}

/// `keychainctl secret store`.
struct StoreSecretCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Stores the bytes of a file, all of them, as a generic password.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl secret store -s com.example.tool -a ada key.pem": "Stores a file.",
            "./make-key | keychainctl secret store -s com.example.tool -a ada -":
                "Stores what a program writes, without a file.",
        ])
    )

    @OptionGroup var item: SecretItemOptions

    @Option(help: "The label of a new item (kSecAttrLabel); else the service.")
    var label: String?

    @Flag(help: "Replace the secret of an item that is there.")
    var replace = false

    @Argument(help: "The file; - for standard input.", completion: .file())
    var file: String

    func run() throws {
        let surroundings = Surroundings.current
        let secret = try SecretFile.read(file, standardInput: surroundings.standardInput)
        var attributes = PropertyDictionary([PropertyKey.valueData: .data(secret)])
        if let label { attributes["labl"] = .string(label) }
        var new = item.key
        new[PropertyKey.valueData] = .data(secret)
        new["labl"] = .string(label ?? item.service)
        let operation: KeychainRequest.Operation =
            replace ? .set(item.key, attributes: attributes, addition: new) : .add(new)
        _ = try item.perform(operation, on: surroundings.keychain)
        surroundings.printLine("Stored \(Count.text(secret.count, "byte")).")
    }
}

/// `keychainctl secret read`.
struct ReadSecretCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Writes the secret of a generic password as it is, with nothing added.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl secret read -s com.example.tool -a ada -o key.pem":
                "Writes the secret to a new file that only you can read.",
            "keychainctl secret read -s com.example.tool -a ada | ssh-add -": "Passes it to a program, without a file.",
        ])
    )

    @OptionGroup var item: SecretItemOptions

    @Option(
        name: .shortAndLong,
        help: "A new file, which only its owner may read; else standard output.",
        completion: .file()
    )
    var output: String?

    func run() throws {
        let surroundings = Surroundings.current
        var query = item.key
        query[PropertyKey.returnData] = .boolean(true)
        let answer = try item.perform(.copyMatching(query), on: surroundings.keychain)
        guard case .single(.data(let secret)) = answer else { throw Refusal("the item has no secret") }
        try SecretFile.write(secret, to: output, standardOutput: surroundings.standardOutput)
    }
}
