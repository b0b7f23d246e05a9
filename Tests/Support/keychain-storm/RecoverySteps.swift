// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport

/// Steps in which a recovery key is used, or the device erased.
enum RecoverySteps {
    /// Uses recovery keys, one after the other: `recovery NUMBER STATUS`, with the number that is valid afterwards.
    ///
    /// - Parameters:
    ///   - subject: the keychain.
    ///   - first: the number of the recovery key that is valid.
    ///   - times: how often.
    static func recover(_ subject: Subject, from first: Int, times: Int) {
        for number in first..<first + times {
            report("recovery \(number + 1)") { () throws(KeychainError) in
                try subject.backend.device.useRecoveryKey(
                    .numbered(number),
                    newPasscode: .numbered(number + 1),
                    newRecoveryKey: .numbered(number + 1)
                )
            }
        }
    }

    /// Erases the device: `erase NUMBER STATUS` after each time.
    static func erase(_ subject: Subject, times: Int) {
        for number in 0..<times {
            report("erase \(number)") { () throws(KeychainError) in try subject.backend.device.erase() }
        }
    }

    private static func report(_ step: String, _ body: () throws(KeychainError) -> Void) {
        do throws(KeychainError) {
            try body()
            Console.write("\(step) 0")
        } catch {
            Console.write("\(step) \(error.status.rawValue) \(error.reason)")
        }
    }
}
