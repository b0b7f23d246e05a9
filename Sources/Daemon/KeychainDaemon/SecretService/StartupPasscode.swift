// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainEngine

/// The passcode that a daemon reads from a descriptor when it starts.
struct StartupPasscode {
    private let passcode: SecretBytes

    /// Reads the first line of a descriptor, and closes it.
    ///
    /// - Parameter descriptor: the descriptor, which no other program inherits.
    /// - Throws: ``DaemonFailure`` if it cannot be read, or is empty.
    init(from descriptor: Int32) throws(DaemonFailure) {
        do throws(SecretLine.Failure) { passcode = try SecretLine.read(from: descriptor) } catch {
            throw DaemonFailure(error.text(of: "passcode"))
        }
        if descriptor > STDERR_FILENO {
            close(descriptor)
        } else if descriptor == STDIN_FILENO {
            // A standard stream stays open: its number would be given to something else.
            let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
            if null >= 0 {
                dup2(null, descriptor)
                close(null)
            }
        }
        guard !passcode.isEmpty else { throw DaemonFailure("the passcode is empty") }
    }

    /// Unlocks a keychain; an empty one without a passcode gets it as its passcode.
    ///
    /// A wrong passcode counts as an attempt, and leaves the keychain locked.
    ///
    /// - Throws: ``DaemonFailure`` for a keychain with items and without a passcode: anyone could have put them there,
    ///   and its owner has not chosen to lock them.
    func unlock(_ keychain: EmbeddedKeychain, log: DaemonLog) throws(DaemonFailure) {
        do throws(KeychainError) {
            if try keychain.device.status().hasPasscode { return try keychain.device.unlock(passcode: passcode) }
        } catch {
            return log.write(.warning, "the keychain stays locked: \(error.reason)")
        }
        do throws(KeychainError) {
            guard try !keychain.hasItems() else { throw .itemsWithoutPasscode }
            try keychain.device.setPasscode(passcode)
        } catch {
            throw DaemonFailure(error)
        }
        guard (try? keychain.device.summary())?.recoveryKeyDate != nil else { return }
        log.write(.warning, "there is a recovery key: \(DeviceSummary.adviceOnRecoveryKey)")
    }
}

extension KeychainError {
    fileprivate static let itemsWithoutPasscode = KeychainError(
        .parameter,
        "the keychain has items and no passcode, so there is nothing to unlock; 'keychainctl device set-passcode' sets one"
    )
}
