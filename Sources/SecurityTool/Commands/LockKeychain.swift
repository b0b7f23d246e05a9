// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles

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
        guard operands.count < (meansEvery ? 1 : 2) else { throw CommandFailure.usage }
        let keychains = session.keychains
        if meansEvery {
            try lockAll(keychains)
            return 0
        }
        let operand = operands.first
        let subject: ByteText = operand.map { "\($0)" } ?? "<NULL>"
        let place = try reporting(Self.function, subject) { () throws(KeychainError) in
            try keychains.place(orDefault: operand)
        }
        switch place {
        case .dataProtection: try lockDataProtection(keychains.dataProtection, operand, subject)
        case .file(let path):
            try reporting(Self.function, subject) { () throws(KeychainError) in try keychains.files.lock(at: path) }
        }
        return 0
    }

    /// Locks every keychain file, listed or not, and the data protection keychain if it is searched.
    private func lockAll(_ keychains: Keychains) throws(CommandFailure) {
        try reporting(Self.function) { () throws(KeychainError) in
            let searched = try keychains.preferences.searched()
            do throws(KeychainError) {
                try keychains.files.lockAll()
            } catch {
                // Where what serves keychain files is not there, none is unlocked.
                guard error.status == .notAvailable, searched == [.dataProtection] else { throw error }
            }
            guard searched.contains(.dataProtection) else { return }
            do throws(KeychainError) {
                try keychains.dataProtection.backend.device.lock()
            } catch {
                guard error.kind == .device(.noPasscode) else { throw error }
            }
        }
    }

    private func lockDataProtection(
        _ keychain: UserKeychain,
        _ operand: Word?,
        _ subject: ByteText
    ) throws(CommandFailure) {
        do throws(KeychainError) {
            try keychain.backend.device.lock()
        } catch {
            // Every keychain of macOS has a password: one without is none of those.
            guard error.kind != .device(.noPasscode) else {
                let failure: KeychainError = operand == nil ? .noDefaultKeychain : .noSuchKeychain
                throw CommandFailure(failure, Self.function, subject)
            }
            throw CommandFailure(error, Self.function, operand == nil ? nil : subject)
        }
    }
}
