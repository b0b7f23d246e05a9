// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainProtection
import KeychainServer
import KeychainTestSupport
import LoginManager
import Testing

@testable import KeychainDaemon

/// What becomes of the keys when the login manager tells of a session.
struct SessionLockTests {
    private static let user: UInt32 = 1000

    @Test(
        "a locked or ended session of the user and a coming sleep lock the device, and take the proofs of the passcode",
        arguments: [
            (.locked(user: user), true), (.locked(user: nil), true), (.loggedOut(user: user), true),
            (.goingToSleep, true), (.locked(user: 1001), false), (.loggedOut(user: 1001), false),
            (.unlocked(user: user), false), (.wokeUp, false),
        ] as [(LoginEvent, Bool)]
    )
    func locks(_ event: LoginEvent, _ isLocked: Bool) throws {
        var device = DeviceOptions()
        device.passwordWork = .testing
        let keychain = EmbeddedKeychain.inMemory(device: device)
        try keychain.device.setPasscode(SecretBytes([1]))
        let proofs = PasscodeProofs()
        let prover = PasscodeProofs.Prover(process: ProcessInstance(identifier: 7, startTime: 1), executable: nil)
        let unlock = try keychain.currentUnlock()
        proofs.record(prover, unlock)
        SessionLock.handle(event, of: Self.user, keychain: keychain, proofs: proofs, log: DaemonLog(descriptor: -1))
        #expect((try keychain.device.status().lockState == .unlocked) != isLocked)
        #expect(proofs.isProved(by: prover, unlock) != isLocked)
    }
}
