// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import TokenStore

@main
struct TokenTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token-tool",
        abstract: "Keeps the API token of a service in the keychain.",
        subcommands: [Login.self, Status.self, Request.self, Logout.self]
    )

    static let store = TokenStore(service: "com.example.token-tool")
}

struct AccountOptions: ParsableArguments {
    @Option(help: "Whose token it is.")
    var account = "default"
}

struct Login: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keeps a token, which is asked for, or read from standard input."
    )

    @OptionGroup var options: AccountOptions

    func run() throws {
        guard let token = try SecretInput.read(prompt: "API token: "), !token.isEmpty else {
            throw ValidationError("There is no token on standard input.")
        }
        try TokenTool.store.save(token, for: options.account)
        print("Logged in as \(options.account).")
    }
}

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Says whether there is a token.")

    @OptionGroup var options: AccountOptions

    func run() throws {
        guard try TokenTool.store.token(for: options.account) != nil else {
            print("Not logged in as \(options.account).")
            throw ExitCode.failure
        }
        print("Logged in as \(options.account).")
    }
}

struct Request: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows the header that a request would carry.")

    @OptionGroup var options: AccountOptions

    @Flag(help: "Show the token, too.")
    var reveal = false

    func run() throws {
        guard let token = try TokenTool.store.token(for: options.account) else {
            throw NotLoggedIn(account: options.account)
        }
        print("Authorization: Bearer \(reveal ? token : "(hidden; --reveal shows it)")")
    }
}

struct NotLoggedIn: LocalizedError {
    let account: String

    var errorDescription: String? { "Not logged in as \(account). To log in: token-tool login --account \(account)" }
}

struct Logout: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Deletes the token.")

    @OptionGroup var options: AccountOptions

    func run() throws {
        let hadToken = try TokenTool.store.remove(options.account)
        print(hadToken ? "Logged out." : "Not logged in as \(options.account).")
    }
}
