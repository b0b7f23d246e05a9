// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Steps in which a store gets another root key.
enum RootKeySteps {
    /// The passcode of the device, if the test has set one.
    static let passcode = SecretBytes(Array("storm".utf8))

    /// Replaces the root key again and again: `root-key NUMBER STATUS` after each time.
    static func replace(_ subject: Subject, times: Int) {
        let maintenance = subject.backend.maintenance
        for number in 0..<times {
            do throws(KeychainError) {
                let hasPasscode = try subject.backend.device.status().hasPasscode
                try maintenance.replaceRootKey(passcode: hasPasscode ? passcode : nil)
                Console.write("root-key \(number) 0")
            } catch {
                Console.write("root-key \(number) \(error.status.rawValue) \(error.reason)")
            }
        }
    }
}
