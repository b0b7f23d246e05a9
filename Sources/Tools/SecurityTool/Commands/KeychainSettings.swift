// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles
import KeychainMacFrontEnd

/// `set-keychain-settings`: every call sets both the automatic lock and whether to lock on sleep.
struct SetKeychainSettings: Command {
    let options: OptionSyntax = "hlut:"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var settings = KeychainFileSettings(locksOnSleep: false, lockInterval: nil)
        for option in invocation.arguments.options {
            switch option.letter {
            case "l": settings.locksOnSleep = true
            // Without a time there is no interval to lock after.
            case "u": continue
            case "t":
                guard let seconds = option.value.text.flatMap({ UInt32($0) }) else { throw CommandFailure.usage }
                // A time of 0 means never, which is also how macOS treats a non-number.
                settings.lockInterval = seconds == 0 ? nil : Int(min(seconds, UInt32(Int32.max)))
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        let operands = invocation.arguments.operands
        guard operands.count < 2 else { throw CommandFailure.usage }
        let name: ByteText = operands.first.map { "\($0)" } ?? "<NULL>"
        let keychains = session.keychains
        try reporting("SecKeychainSetSettings", about: name) { () throws(KeychainError) in
            try keychains.whole.setSettings(settings, of: try keychains.place(orDefault: operands.first))
        }
        return 0
    }
}

/// `show-keychain-info`: prints the settings of an unlocked keychain.
///
/// - Important: Differs from macOS: there is no salt to show with `-s`.
struct ShowKeychainInfo: Command {
    let options: OptionSyntax = "hs"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        for option in invocation.arguments.options where option.letter != "s" { throw CommandFailure.usage }
        try invocation.checkOptions(options)
        let operands = invocation.arguments.operands
        guard operands.count < 2 else { throw CommandFailure.usage }
        let name: ByteText = operands.first.map { "\($0)" } ?? "<NULL>"
        let settings = try reporting("SecKeychainCopySettings", about: name) { () throws(KeychainError) in
            let place = try session.keychains.place(orDefault: operands.first)
            let status = try session.keychains.whole.status(place)
            guard !status.isLocked else { throw KeychainError(.interactionNotAllowed, "the keychain is locked") }
            return status.settings
        }
        let sleep: ByteText = settings.locksOnSleep ? " lock-on-sleep" : ""
        let timeout: ByteText = settings.lockInterval.map { " timeout=\($0)s" } ?? " no-timeout"
        try session.errors.write("Keychain \"\(name)\"\(sleep)\(timeout)\n")
        return 0
    }
}
