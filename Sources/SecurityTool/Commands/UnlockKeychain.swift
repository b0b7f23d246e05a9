// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `unlock-keychain` (reference, section 4.2).
///
/// - Important: Differs from macOS: the password is checked also while the keychain is unlocked.
struct UnlockKeychain: Command {
    let options = OptionSyntax("hp:u", secrets: "p")

    private static let function = "SecKeychainUnlock"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var passcode: SecretBytes?
        for option in invocation.arguments.options {
            switch option.letter {
            case "p": passcode = option.value.bytes
            // Unlocking without a password is a matter of a window of macOS; here it is asked for.
            case "u": continue
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        let operand = invocation.arguments.operands.first
        let keychain = session.keychain
        try keychain.checkIsMeant(by: operand, Self.function)
        let shown: ByteText = operand.map { "\($0)" } ?? "default"
        let typed = try passcode ?? session.prompts.ask("password to unlock \(shown): ")
        do throws(KeychainError) {
            try keychain.backend.device.unlock(passcode: typed)
        } catch {
            let name: ByteText = operand.map { "\($0)" } ?? "<NULL>"
            guard case .device(.wrongPasscode) = error.kind else { throw CommandFailure(error, Self.function, name) }
            throw CommandFailure(.authenticationFailed, Self.function, name)
        }
        if !keychain.unlocksForAll() { try session.errors.write(Self.remark) }
        return 0
    }

    /// What to do without a daemon that keeps the unlock.
    private static let remark: ByteText = """
        security: the password is correct, but the unlock ends with this program; to keep it, let the daemon own the \
        keychain: 'keychainctl service enable'

        """
}
