// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `lock-keychain`.
struct LockKeychain: Command {
    let options: OptionSyntax = "ha"

    private static let function = "SecKeychainLock"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var meansEvery = false
        for option in invocation.arguments.options {
            switch option.letter {
            case "a": meansEvery = true
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        let operands = invocation.arguments.operands
        guard operands.count < 2 else { throw CommandFailure.usage }
        let keychains = session.keychains
        let operand = meansEvery ? nil : operands.first
        let subject: ByteText = operand.map { "\($0)" } ?? "<NULL>"
        if meansEvery, try hasFiles(keychains) {
            try reporting(Self.function) { () throws(KeychainError) in try keychains.files.lockAll() }
        } else if keychains.meansDataProtection(by: operand.map { [$0] } ?? []) {
            try lockDataProtection(keychains.dataProtection, operand, subject)
        } else {
            try reporting(Self.function, subject) { () throws(KeychainError) in
                try keychains.files.lock(at: keychains.path(orDefault: operand))
            }
        }
        return 0
    }

    private func hasFiles(_ keychains: Keychains) throws(CommandFailure) -> Bool {
        try reporting(Self.function) { () throws(KeychainError) in try keychains.hasFiles }
    }

    private func lockDataProtection(
        _ keychain: UserKeychain,
        _ operand: Word?,
        _ subject: ByteText
    ) throws(CommandFailure) {
        do throws(KeychainError) {
            try keychain.backend.device.lock()
        } catch {
            // Every keychain of macOS has a password; without one there is nothing to lock, and nothing to unlock
            // later.
            guard error.kind != .device(.noPasscode) else {
                throw CommandFailure(
                    "security: lock-keychain: no passcode is set; 'keychainctl device set-passcode' sets one"
                )
            }
            throw CommandFailure(error, Self.function, operand == nil ? nil : subject)
        }
    }
}
