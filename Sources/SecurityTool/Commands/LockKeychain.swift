// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `lock-keychain` (reference, section 4.2).
struct LockKeychain: Command {
    let options: OptionSyntax = "ha"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var meansEvery = false
        for option in invocation.arguments.options {
            switch option.letter {
            case "a": meansEvery = true
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        let operand = meansEvery ? nil : invocation.arguments.operands.first
        try session.keychain.checkIsMeant(by: operand, "SecKeychainLock")
        do throws(KeychainError) {
            try session.keychain.backend.device.lock()
        } catch {
            // Every keychain of macOS has a password; without one there is nothing to lock, and nothing to unlock
            // later.
            guard error.kind != .device(.noPasscode) else {
                throw CommandFailure(
                    "security: lock-keychain: no passcode is set; 'keychainctl device set-passcode' sets one"
                )
            }
            throw CommandFailure(error, "SecKeychainLock", operand.map { "\($0)" })
        }
        return 0
    }
}
