// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import LoginManager

/// Locks the device when the user's session is locked or has ended, and when the host goes to sleep.
final class SessionLock: Sendable {
    private let manager: LoginManager

    /// Creates a lock, which is active after ``start()``.
    ///
    /// - Parameters:
    ///   - keychain: the keychain whose device to lock.
    ///   - proofs: discarded with the lock.
    ///   - log: receives messages if sessions are not visible, or a lock failed.
    ///   - user: the user whose sessions matter.
    convenience init(
        _ keychain: any KeychainBackend,
        proofs: PasscodeProofs,
        log: DaemonLog,
        user: UInt32 = geteuid()
    ) {
        self.init(log) { event in Self.handle(event, of: user, keychain: keychain, proofs: proofs, log: log) }
    }

    /// A lock of several users' devices, once ``start()`` is called.
    init(_ log: DaemonLog, handle: @escaping @Sendable (LoginEvent) -> Void) {
        manager = LoginManager(stateChanged: { state in Self.report(state, log) }, handle: handle)
    }

    /// Listens, on a thread of its own.
    func start() {
        // Without it, only the policy's timeout locks.
        _ = HostThread.start(.blocked) { [manager] in manager.run() }
    }

    /// Stops listening.
    func stop() { manager.stop() }

    /// Handles an event.
    static func handle(
        _ event: LoginEvent,
        of user: UInt32,
        keychain: any KeychainBackend,
        proofs: PasscodeProofs,
        log: DaemonLog
    ) {
        guard event.locks(user) else { return }
        proofs.clear()
        do throws(KeychainError) { try keychain.device.lock() } catch {
            // A device without a passcode cannot be locked.
            guard error.kind != .device(.noPasscode) else { return }
            log.write(.warning, "the keychain could not be locked: \(error.reason)")
        }
    }

    private static func report(_ state: LoginManager.State, _ log: DaemonLog) {
        switch state {
        case .starting: break
        case .listening: log.write(.information, "locking a session and suspending the computer lock the keychain")
        case .listeningWithoutDelay(let reason):
            log.write(
                .warning,
                "the computer may sleep before the keychain is locked, because the login manager refuses to wait "
                    + "(\(reason)); is polkit installed?"
            )
        case .listeningWithShortDelay(let milliseconds):
            log.write(
                .warning,
                "the computer may sleep before the keychain is locked, because the login manager waits \(milliseconds) ms at "
                    + "most, and a lock may take \(LoginManager.sleepMilliseconds) ms; raise InhibitDelayMaxSec= in "
                    + "logind.conf"
            )
        case .noLoginManager:
            log.write(.information, "there is no login manager: locking a session does not lock the keychain")
        case .noBus(let reason): log.write(.information, "locking a session does not lock the keychain: \(reason)")
        }
    }
}
