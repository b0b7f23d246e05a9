// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTrust

/// `user-trust-settings-enable` (reference, section 8): prints, or as root sets, whether users' own settings apply.
struct EnableUserTrustSettings: Command {
    let options: OptionSyntax = "hde"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var isWanted: Bool?
        for option in invocation.arguments.options {
            switch option.letter {
            case "d": isWanted = false
            case "e": isWanted = true
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        guard invocation.arguments.operands.isEmpty else { throw CommandFailure.usage }
        let store = session.trustSettings
        guard let isWanted else {
            let state: ByteText = store.areUserSettingsEnabled ? "Enabled" : "Disabled"
            try session.output.write("User-level Trust Settings are \(state)\n")
            return 0
        }
        try reportingTrust("SecTrustSettingsSetTrustSettings") { () throws(KeychainError) in
            try store.enableUserSettings(isWanted)
        }
        return 0
    }
}
