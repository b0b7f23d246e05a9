// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl device root-key replace`: gives the keychain another root key.
struct ReplaceRootKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replace",
        abstract: "Gives the keychain another root key, and removes the present one; items are unaffected.",
        discussion: CommandDiscussion.text(
            """
            With a passcode set, that is asked for. Programs that have unlocked the keychain are locked.

            The keys of items stay as they are: with a copy of the former root key and of the former keychain, and the \
            passcode if one was set, they can still be decrypted. If there may be such a copy, create a backup and restore \
            it into an empty folder, which makes other keys.
            """,
            examples: [
                "keychainctl device root-key replace":
                    "Makes a new root key, after someone may have copied the present one."
            ]
        )
    )

    @Option(help: ArgumentHelp("The kind of the new root key; default: the present kind.", valueName: "kind"))
    var kind: String?

    @OptionGroup var passcode: PasscodeOptions

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        let keychain = surroundings.keychain
        let kind = try kind.map(Self.kind)
        let present = try refusing { () throws(KeychainError) in try keychain.maintenance.rootKeyStatus() }
        guard present.kind != nil else { throw Refusal("there is no keychain yet") }
        // Fail before prompting for a passcode.
        if let kind, !present.replacements.contains(kind) {
            throw Refusal("the root key cannot be replaced by one of the kind '\(kind.name)' here")
        }
        let status = try refusing { () throws(KeychainError) in try keychain.device.status() }
        let secret = try status.hasPasscode ? readPasscode(surroundings) : nil
        let link = surroundings.linkedRootKey()
        try refusing { () throws(KeychainError) in
            // A daemon allows this only to an owner who has entered the passcode.
            if let secret { try keychain.device.unlock(passcode: secret) }
            try keychain.maintenance.replaceRootKey(kind, passcode: secret)
        }
        surroundings.printLine("The root key is replaced.")
        if let link {
            surroundings.remark("\(link) had another name elsewhere (a hard link): the former root key is still there")
        }
    }

    private func readPasscode(_ surroundings: Surroundings) throws -> SecretBytes {
        try passcode.source(surroundings).read(.passcode, .passcode, reason: "replace the root key")
    }

    private static func kind(_ name: String) throws -> RootKeyKind {
        guard let kind = RootKeyKind(name: name) else {
            let names = RootKeyKind.allNames.joined(separator: ", ")
            throw ValidationError("There is no kind of root key of this name. Kinds: \(names).")
        }
        return kind
    }
}
