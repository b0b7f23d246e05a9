// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `set-keychain-password`.
struct SetKeychainPassword: Command {
    let options = OptionSyntax("ho:p:", secrets: "op")

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var old: SecretBytes?
        var new: SecretBytes?
        for option in invocation.arguments.options {
            switch option.letter {
            case "o": old = option.value.bytes
            case "p": new = option.value.bytes
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        let operands = invocation.arguments.operands
        guard operands.count < 2 else { throw CommandFailure.usage }
        let oldPassword = try old ?? session.prompts.ask("Old Password: ")
        let newPassword = try new ?? askForNew(session.prompts)
        let name: ByteText = operands.first.map { "\($0)" } ?? "<NULL>"
        do throws(KeychainError) {
            let path = try session.keychains.path(orDefault: operands.first)
            try session.keychains.files.changePassword(at: path, from: oldPassword, to: newPassword)
        } catch {
            throw CommandFailure(
                status: error.status.rawValue,
                "security: error changing password for \"\(name)\": \(error.status.text)"
            )
        }
        return 0
    }

    private func askForNew(_ prompts: PasswordPrompt) throws -> SecretBytes {
        let new = try prompts.ask("New Password: ")
        if prompts.usesStandardInput { return new }
        guard try prompts.ask("Retype New Password: ") == new else { throw CommandFailure("security: try again") }
        return new
    }
}
