// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainProtection
import Synchronization

/// The device of a keychain in memory.
final class InMemoryDevice: Sendable {
    let keychain: EmbeddedKeychain
    private let clock = InMemoryClock()
    private let answers: Mutex<InMemoryKeychain.Person>

    private static let passcode = "0000"

    init() {
        let authenticator = ScriptedAuthenticator(
            biometry: Biometry(.faceID, enrolledSet: Bytes16([UInt8](repeating: 1, count: Bytes16.count)))
        )
        var options = DeviceOptions(authenticator: authenticator, hostClock: clock)
        options.passwordWork = .testing
        keychain = .inMemory(device: options)
        answers = Mutex(.agrees)
        authenticator.setAnswer { [weak self] prompt in self?.reply(to: prompt) ?? .unavailable }
        // An empty keychain in memory without a passcode always accepts one.
        try? keychain.device.setPasscode(Self.secret(Self.passcode))
    }

    var person: InMemoryKeychain.Person {
        get { answers.withLock { $0 } }
        set { answers.withLock { $0 = newValue } }
    }

    var isLocked: Bool {
        get { (try? keychain.device.status().lockState) != .unlocked }
        set {
            if newValue {
                try? keychain.device.lock()
            } else {
                unlock()
                guard isLocked else { return }
                // Too many wrong passcodes: the hour that has to pass does.
                clock.advance(by: 3600)
                unlock()
            }
        }
    }

    private func unlock() { try? keychain.device.unlock(passcode: Self.secret(Self.passcode)) }

    private func reply(to prompt: AuthenticationPrompt) -> AuthenticationReply {
        switch (person, prompt.kind) {
        case (.cancels, _): .cancelled
        case (.isAStranger, .biometry): .notRecognized
        case (.isAStranger, _): .secret(Self.secret("a stranger's"))
        case (.agrees, .biometry): .recognized
        case (.agrees, _): .secret(Self.secret(Self.passcode))
        }
    }

    private static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }
}
#endif
