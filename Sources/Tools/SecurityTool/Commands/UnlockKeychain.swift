// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles
import KeychainMacFrontEnd

/// `unlock-keychain`.
///
/// - Important: Differs from macOS: the password is also checked while the keychain is unlocked. The data protection
///   keychain without a passcode accepts any. Where an unlock would end with this program, the status is 1.
struct UnlockKeychain: Command {
    let options = OptionSyntax("hp:u", secrets: "p")

    private static let function = "SecKeychainUnlock"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var password: SecretBytes?
        for option in invocation.arguments.options {
            switch option.letter {
            case "p": password = option.value.bytes
            // macOS shows a window when unlocking without a password; here there is a prompt.
            case "u": continue
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        let operands = invocation.arguments.operands
        guard operands.count < 2 else { throw CommandFailure.usage }
        let operand = operands.first
        let keychains = session.keychains
        let name: ByteText = operand.map { "\($0)" } ?? "<NULL>"
        let place = try reporting(Self.function, about: name) { () throws(KeychainError) in
            try keychains.place(orDefault: operand)
        }
        let shown: ByteText = operand.map { "\($0)" } ?? "default"
        let typed = try password ?? session.prompts.ask("password to unlock \(shown): ")
        let endsHere: Bool
        do throws(KeychainError) { endsHere = try keychains.whole.unlock(place, password: typed) } catch {
            var failure = CommandFailure(error, in: Self.function, about: name)
            if place == .dataProtection, case .device(let refusal) = error.kind, let remedy = refusal.remedyIfForgotten
            {
                failure.message = failure.message.map { "\($0)\nsecurity: \(remedy)" }
            }
            throw failure
        }
        guard endsHere, !session.isInteractive else { return 0 }
        try session.errors.write(Self.remark)
        return 1
    }

    /// The remedy without a daemon that keeps the unlock.
    private static let remark: ByteText = """
        security: the password is correct, but the unlock ends with this program; to run a command unlocked: \
        'keychainctl device unlock -- COMMAND'; to keep an unlock, let the daemon own the keychain: \
        'keychainctl service enable'

        """
}
