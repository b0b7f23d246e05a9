// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainTestSupport

/// Steps in which a store gets another root key.
enum RootKeySteps {
    /// The passcode of the device, if the test has set one.
    static let passcode = SecretBytes(Array("storm".utf8))

    /// In files, and in a chip that all processes have.
    static func sources() -> RootKeySources {
        guard let chip = try? Chip.shared() else { preconditionFailure("no memory for keys") }
        return RootKeySources(RootKeyFile(), chip)
    }

    /// Replaces the root key again and again: `root-key NUMBER STATUS` after each time.
    ///
    /// - Parameters:
    ///   - subject: the keychain.
    ///   - times: how often.
    ///   - kinds: what kind of root key each time, in turn; `nil` for the kind that the store has.
    static func replace(_ subject: Subject, times: Int, kinds: [RootKeyKind?] = [nil]) {
        let maintenance = subject.backend.maintenance
        for number in 0..<times {
            do throws(KeychainError) {
                let hasPasscode = try subject.backend.device.status().hasPasscode
                let kind = kinds[number % kinds.count]
                try maintenance.replaceRootKey(kind, passcode: hasPasscode ? passcode : nil)
                Console.write("root-key \(number) 0")
            } catch {
                Console.write("root-key \(number) \(error.status.rawValue) \(error.reason)")
            }
        }
    }
}
