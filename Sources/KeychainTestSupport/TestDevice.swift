// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainFiles
import KeychainProtection
import KeychainStore
import Synchronization

/// A keychain whose device, owner and host do what a test says.
public final class TestDevice: KeychainBackend {
    /// The keychain.
    public let keychain: EmbeddedKeychain

    /// Who is asked in the owner's place, and what was asked.
    public let authenticator: ScriptedAuthenticator

    /// The clock of the host.
    public let hostClock: TestHostClock

    /// The folder that the keychain's own one lies in; `nil` for a keychain in memory.
    public let folder: TemporaryFolder?

    private let script: Mutex<Script>

    /// Where the keychain lies.
    public enum Place: String, Sendable, CaseIterable {
        /// In memory.
        case memory
        /// In a folder of its own.
        case disk
    }

    /// What the owner answers when asked.
    public enum Owner: String, Sendable, CaseIterable {
        /// Shows and types what is right.
        case allow
        /// Is not recognized, and types what is wrong.
        case deny
        /// Cancels.
        case cancel
    }

    private struct Script {
        var owner = Owner.allow
        var passcode: String?
    }

    /// Makes an empty keychain, unlocked.
    ///
    /// - Parameters:
    ///   - place: where it lies.
    ///   - passcode: the passcode of its device; `nil` for none.
    ///   - biometry: what the owner can be recognized by.
    /// - Throws: ``KeychainError`` when the passcode is refused, or what making a folder throws.
    public init(
        _ place: Place = .memory,
        passcode: String? = "1234",
        biometry: Biometry = TestDevice.enrolled(1)
    ) throws {
        authenticator = ScriptedAuthenticator(biometry: biometry)
        hostClock = TestHostClock()
        script = Mutex(Script())
        let options = Self.options(authenticator, hostClock)
        switch place {
        case .memory:
            folder = nil
            keychain = .inMemory(device: options)
        case .disk:
            let folder = try TemporaryFolder()
            self.folder = folder
            keychain = EmbeddedKeychain(at: Self.location(folder), device: options)
        }
        authenticator.setAnswer { [weak self] prompt in self?.answer(prompt) ?? .unavailable }
        if let passcode { try setPasscode(passcode) }
    }

    /// A sensor for fingers, with a set of them enrolled; another number is another set.
    public static func enrolled(_ set: UInt8, _ kind: Biometry.Kind = .touchID) -> Biometry {
        Biometry(kind, enrolledSet: Bytes16([UInt8](repeating: set, count: Bytes16.count)))
    }

    /// The password of the application that the owner types.
    public static let applicationPassword = "application password"

    /// Carries out a request.
    public func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer {
        try keychain.perform(request)
    }

    /// The keychain's device.
    public var device: any KeychainDevice { keychain.device }

    /// What asks the owner of the device.
    public var authentication: any AuthenticationService { keychain.authentication }

    /// The enclave of the keychain.
    public var enclave: any KeyEnclave { keychain.enclave }

    /// The keychain's folder; `nil` for a keychain in memory.
    public var path: String? { folder?.path(of: Self.folderName) }

    /// Another process at the same keychain on disk: it has no keys until it unlocks for itself.
    public func anotherProcess() throws -> EmbeddedKeychain {
        guard let folder else { throw NoFolder() }
        return EmbeddedKeychain(at: Self.location(folder), device: Self.options(authenticator, hostClock))
    }

    /// What the owner answers from now on.
    public var owner: Owner {
        get { script.withLock(\.owner) }
        set { script.withLock { $0.owner = newValue } }
    }

    /// The passcode as the owner remembers it.
    public var passcode: String? { script.withLock(\.passcode) }

    private static let folderName = "keychain"

    private static func location(_ folder: TemporaryFolder) -> KeychainLocation {
        KeychainLocation(path: folder.path(of: folderName))
    }

    private static func options(_ authenticator: ScriptedAuthenticator, _ hostClock: TestHostClock) -> DeviceOptions {
        var options = DeviceOptions(authenticator: authenticator, hostClock: hostClock)
        options.passwordWork = .testing
        return options
    }

    /// The cause of a refusal to be at once in memory and in two processes.
    private struct NoFolder: Error {}
}

// MARK: - The device

extension TestDevice {
    /// Locks the device.
    public func lock() throws(KeychainError) { try device.lock() }

    /// Unlocks the device with the owner's passcode.
    public func unlock() throws(KeychainError) { try device.unlock(passcode: secret(passcode ?? "")) }

    /// Boots the host anew, which takes every key away that asks for an unlock.
    public func reboot() { hostClock.reboot() }

    /// Sets the first passcode.
    public func setPasscode(_ passcode: String) throws(KeychainError) {
        try device.setPasscode(secret(passcode))
        script.withLock { $0.passcode = passcode }
    }

    /// Replaces the owner's passcode.
    public func changePasscode(to passcode: String) throws(KeychainError) {
        try device.changePasscode(from: secret(self.passcode ?? ""), to: secret(passcode))
        script.withLock { $0.passcode = passcode }
    }

    /// Removes the owner's passcode.
    public func removePasscode() throws(KeychainError) {
        try device.removePasscode(secret(passcode ?? ""))
        script.withLock { $0.passcode = nil }
    }

    private func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }
}

// MARK: - The owner

extension TestDevice {
    private func answer(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        let script = script.withLock { $0 }
        switch (script.owner, prompt.kind) {
        case (.cancel, _): return .cancelled
        case (.allow, .biometry): return .recognized
        case (.allow, .passcode): return .secret(secret(script.passcode ?? ""))
        case (.allow, .applicationPassword), (.allow, .newApplicationPassword):
            return .secret(secret(Self.applicationPassword))
        case (.deny, .biometry): return .notRecognized
        case (.deny, _): return .secret(secret("not what was asked for"))
        }
    }
}
