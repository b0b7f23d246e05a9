// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The names under which the program for helpers is installed; each is what its caller runs.
package enum HelperName: String, CaseIterable, Sendable {
    case git = "git-credential-keychain"
    case docker = "docker-credential-keychain"
    case cargo = "cargo-credential-keychain"
    case aws = "keychain-aws"
    case kubectl = "keychain-kubectl"
    case askpass = "keychain-askpass"
    case keyring = "keychain-keyring"

    /// The program that has all of these names.
    package static let program = "keychain-helper"

    /// The word that chooses a helper where the program is called by its own name, such as `git`.
    package var word: String {
        switch self {
        case .git: "git"
        case .docker: "docker"
        case .cargo: "cargo"
        case .aws: "aws"
        case .kubectl: "kubectl"
        case .askpass: "askpass"
        case .keyring: "keyring"
        }
    }

    /// The name by which pip and uv run a keyring.
    package static let keyringCommand = "keyring"

    /// Which helper a command line asks for, and the arguments for it.
    ///
    /// - Parameter words: the words of the command line; the first is the name or path of the program.
    /// - Returns: `nil` if neither the name nor the first argument is one of a helper.
    package static func chosen(by words: [String]) -> (name: HelperName, arguments: [String])? {
        guard let called = words.first?.split(separator: "/").last.map(String.init) else { return nil }
        // pip asks for whatever server a requirements file names.
        guard called != keyringCommand else { return (.keyring, [KeyringCommand.forServers] + words.dropFirst()) }
        if let byName = HelperName(rawValue: called) { return (byName, Array(words.dropFirst())) }
        guard let name = allCases.first(where: { $0.word == words.dropFirst().first }) else { return nil }
        return (name, Array(words.dropFirst(2)))
    }

    /// Serves one call of the program's caller.
    ///
    /// - Parameters:
    ///   - arguments: what follows the name.
    ///   - surroundings: the keychain, and the streams.
    /// - Returns: The exit status, as the caller understands it.
    package func run(_ arguments: [String], _ surroundings: HelperSurroundings) -> Int32 {
        switch self {
        case .git: GitHelper(surroundings).run(arguments)
        case .docker: DockerHelper(surroundings).run(arguments)
        case .cargo: CargoHelper(surroundings).run(arguments)
        case .aws: AWSHelper(surroundings).run(arguments)
        case .kubectl: KubectlHelper(surroundings).run(arguments)
        case .askpass: AskpassHelper(surroundings).run(arguments)
        case .keyring: KeyringHelper(surroundings).run(arguments)
        }
    }
}
