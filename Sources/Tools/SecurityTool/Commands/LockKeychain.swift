// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles
import KeychainMacFrontEnd

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
            try reporting(Self.function) { () throws(KeychainError) in try keychains.whole.lockAll() }
            return 0
        }
        let operand = operands.first
        let subject: ByteText = operand.map { "\($0)" } ?? "<NULL>"
        let place = try reporting(Self.function, about: subject) { () throws(KeychainError) in
            try keychains.place(orDefault: operand)
        }
        do throws(KeychainError) {
            try keychains.whole.lock(place, isNamed: operand != nil)
        } catch {
            let hasName = operand != nil || place != .dataProtection || error.status == .noDefaultKeychain
            throw CommandFailure(error, in: Self.function, about: hasName ? subject : nil)
        }
        return 0
    }
}
