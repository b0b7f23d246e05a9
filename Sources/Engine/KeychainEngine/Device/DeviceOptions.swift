// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// What the device of an embedded keychain is made of.
package struct DeviceOptions: Sendable {
    /// Who asks the owner to authenticate; nobody by default.
    package var authenticator: any Authenticator

    /// What delays and idleness are measured by.
    package var hostClock: any HostClock

    /// Who says whether certificates are trusted; nobody by default, and then none is.
    package var certificateJudge: (any CertificateJudge)?

    /// Where root keys are kept.
    package var rootKeys = RootKeySources()

    /// What kind of program the keychain is opened by: it opens no store of another owner, and makes stores of its own.
    package var owner = StoreOwner.embedded

    /// How much work it is to try a passcode or an application password; tests lower it.
    package var passwordWork = ScryptParameters.standard

    /// The least work that a file may ask for: lower than the standard only with ``passwordWork``.
    var passwordFloor: ScryptFloor { ScryptFloor(of: passwordWork) }

    /// The turns in which keys are derived from passcodes and passwords; `nil` for any number at a time.
    package var derivationTurns: DerivationTurns?

    /// Counts the bytes of rows that the command under way on the calling thread reads, and says whether it may have
    /// them; `nil` for any number.
    package var reserveMemory: (@Sendable (_ byteCount: Int) -> Bool)?

    /// Below how many wrong passcodes in a row one of the command under way is judged; `nil` for any number.
    ///
    /// Asked on the thread of the command. What is beyond it changes nothing: neither the count, nor the delay.
    package var attemptLimit: @Sendable () -> Int? = { nil }

    /// For whom the command under way on the calling thread is: programs have the connections to the store in turn, and
    /// none of them all; `nil` where nobody tells them apart.
    package var share: @Sendable () -> UInt64? = { nil }

    /// How many authentication contexts are known at once, one that was used longest ago going for a newer one.
    package var mostContexts = ContextRegistry.defaultLimit

    /// What the device enforces.
    package var personality = DevicePersonality.device

    /// Told what happens to the device, in the midst of a call: it must not use the keychain.
    package var onEvent: @Sendable (DeviceEvent) -> Void = { _ in }

    /// A device of this host.
    package init(
        authenticator: any Authenticator = NoAuthenticator(),
        hostClock: any HostClock = SystemHostClock()
    ) {
        self.authenticator = authenticator
        self.hostClock = hostClock
    }

    /// A device on which it is no work to try a passcode, to measure everything else of an unlock.
    package static var withNegligibleWork: DeviceOptions {
        var options = DeviceOptions()
        options.passwordWork = .testing
        return options
    }
}
