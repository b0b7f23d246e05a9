// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// The components of the device of an embedded keychain.
package struct DeviceOptions: Sendable {
    /// Prompts the owner to authenticate; by default, there is none.
    package var authenticator: any Authenticator

    /// The clock that measures delays and idleness.
    package var hostClock: any HostClock

    /// Evaluates whether certificates are trusted; by default there is none, and no certificate is trusted.
    package var certificateJudge: (any CertificateJudge)?

    /// What is sealed for passwords instead of their bare secrets, in a keychain file; `nil` elsewhere.
    package var secretForm: (any SecretForm)?

    /// Where root keys are kept.
    package var rootKeys = RootKeySources()

    /// The kind of program that opens the keychain: it opens no store of another owner, and creates stores of its own.
    package var owner = StoreOwner.embedded

    /// How much work it is to try a passcode or an application password; tests lower it.
    package var passwordWork = ScryptParameters.standard

    /// The minimum derivation work that a file may specify: below the standard only with ``passwordWork``.
    var passwordFloor: ScryptFloor { ScryptFloor(of: passwordWork) }

    /// The turns in which keys are derived from passcodes and passwords; `nil` for any number at a time.
    package var derivationTurns: DerivationTurns?

    /// Counts the bytes of rows that the current command of the calling thread reads, and returns whether it may read
    /// them; `nil` for no limit.
    package var reserveMemory: (@Sendable (_ byteCount: Int) -> Bool)?

    /// The number of consecutive wrong passcodes below which the current command may verify one; `nil` for no limit.
    ///
    /// Called on the thread of the command. An attempt beyond the limit changes neither the count nor the delay.
    package var attemptLimit: @Sendable () -> Int? = { nil }

    /// Whether the current command must not erase a keychain that has a passcode, or may have one.
    ///
    /// Called on the thread of the command.
    package var keepsPasscode: @Sendable () -> Bool = { false }

    /// The client on whose behalf the current command of the calling thread runs.
    ///
    /// Clients share the connections to the store and the turns of derivations fairly, and none takes all of them;
    /// `nil` where clients are not distinguished.
    package var share: @Sendable () -> UInt64? = { nil }

    /// The maximum number of authentication contexts; the least recently used one is removed for a new one.
    package var maximumContexts = ContextRegistry.defaultLimit

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

    /// A device whose passcode derivation takes no work, to measure the other costs of an unlock.
    package static var withNegligibleWork: DeviceOptions {
        var options = DeviceOptions()
        options.passwordWork = .testing
        return options
    }
}
