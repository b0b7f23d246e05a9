// SPDX-License-Identifier: Apache-2.0

import Conformance
import KeychainCore
import KeychainDoctor
import KeychainServices
import KeychainSimulation
import Synchronization

/// A keychain that writes down the calls of item functions, or takes them without carrying them out.
final class RecordingKeychain: KeychainBackend {
    private let backend: any KeychainBackend
    private let state: Mutex<State>

    private struct State {
        var calls: [(request: KeychainRequest, status: Status)] = []
        var isCapturing = false
    }

    init(_ backend: any KeychainBackend) {
        self.backend = backend
        state = Mutex(State())
    }

    /// Every one.
    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        guard case .items(let request) = command else { return try backend.perform(command) }
        if state.withLock(\.isCapturing) {
            state.withLock { $0.calls.append((request, .internalComponent)) }
            throw KeychainError(.internalComponent, "the call is taken down, and not made")
        }
        do throws(KeychainError) {
            let reply = try backend.perform(command)
            state.withLock { $0.calls.append((request, .success)) }
            return reply
        } catch {
            state.withLock { $0.calls.append((request, error.status)) }
            throw error
        }
    }

    /// The calls since this was asked last.
    func takeCalls() -> [(request: KeychainRequest, status: Status)] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    /// Whether calls are taken and not carried out.
    func setCapturing(_ isCapturing: Bool) { state.withLock { $0.isCapturing = isCapturing } }
}

extension ScenarioProfile {
    /// What the device is: the front end of a Mac has its rules also where the program asks for one keychain alone.
    fileprivate var platform: VirtualDevice.Platform {
        switch self {
        case .simulator: .simulator
        case .macOS: .mac
        case .dataProtectionIOS, .dataProtectionMacOS, .catalyst: .iOS
        }
    }
}

/// The keychain of one scenario, with the client that calls.
struct ScenarioEnvironment: CaseEnvironment {
    private(set) var device: VirtualDevice
    private(set) var keychain: RecordingKeychain
    private(set) var client: Client
    private(set) var clientName = CaseSession.firstClient

    init(_ profile: ScenarioProfile) throws {
        device = try .ofCase(profile.platform)
        keychain = RecordingKeychain(device.backend)
        let isMac = profile == .macOS || profile == .dataProtectionMacOS
        client = Client(accessGroups: Subject.initialGroups, profile: isMac ? .macOS : .iOS)
    }

    mutating func setGroups(_ groups: [String], of client: String) {
        self.client.accessGroups = groups
        clientName = client
    }

    mutating func restore() throws {
        device = try device.restoredElsewhere()
        keychain = RecordingKeychain(device.backend)
    }

    func run<R>(_ body: () throws -> R) rethrows -> R {
        let context = KeychainContext(
            backend: keychain,
            client: client,
            fileBased: device.fileBased,
            hasFrontEnd: device.macKeychains != nil
        )
        return try KeychainContext.$current.withValue(context, operation: body)
    }
}
