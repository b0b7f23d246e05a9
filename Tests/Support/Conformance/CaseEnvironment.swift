// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainSimulation
import Security

/// The keychain of one case, and the client that asks it.
package protocol CaseEnvironment {
    /// Has the client of a name make the calls from now on, with an ordered list of access groups; stored items stay.
    mutating func setGroups(_ groups: [String], of client: String)

    /// Takes the store by a backup to a new device, with a passcode and unlocked.
    mutating func restore() throws

    /// The keychain's device, and its owner.
    var device: VirtualDevice { get }

    /// Runs `body` with the public functions of Security reaching this keychain as this client.
    func run<R>(_ body: () throws -> R) rethrows -> R
}

/// The keychains that the same cases are run against.
package enum Subject: String, Sendable, CaseIterable {
    /// An engine that keeps everything in memory.
    case memory
    /// An engine on a database in a folder of its own.
    case disk
    /// An engine in memory, whose commands, replies and questions are turned into bytes and read from them again.
    case pipe
    /// An engine in memory, reached through the server of a daemon that admits everybody, its socket and its client.
    case socket
    /// An engine on a database, reached through a socket, as the daemon of a user serves that user's programs.
    case daemon
    /// An engine in memory, reached through a socket, as the system service serves each user.
    case system

    /// A fresh, empty keychain on an unlocked device with a passcode, and the client that every case starts with.
    package func environment(_ profile: CaseProfile) throws -> any CaseEnvironment {
        environment(profile, try device { $0.reached })
    }

    /// The device of a case, whose apps reach what `wrap` makes of its keychain.
    ///
    /// It is given the keychain as it is reached, and the one that is reached.
    package func device(
        _ wrap:
            @escaping @Sendable ((reached: any KeychainBackend, embedded: any KeychainBackend)) -> any KeychainBackend
    ) throws -> VirtualDevice {
        let transport: DeviceTransport =
            switch self {
            case .memory, .disk: .direct
            case .pipe: .pipe
            case .socket: .socket
            case .daemon: .daemon
            case .system: .system
            }
        return try VirtualDevice.ofCase(
            storage: self == .disk || self == .daemon ? .file : .memory,
            transport: DeviceTransport(
                authenticator: transport.authenticator,
                backend: { wrap((transport.backend($0), $0)) }
            )
        )
    }

    /// The client that every case starts with, on a device.
    package func environment(_ profile: CaseProfile, _ device: VirtualDevice) -> any CaseEnvironment {
        ContextEnvironment(
            device,
            Client(accessGroups: Self.initialGroups, profile: profile == .macOS ? .macOS : .iOS)
        )
    }

    /// Whether a case says that this subject cannot answer as it expects.
    package func differs(from testCase: Case) -> Bool {
        guard let subjects = testCase.differs?.prefix(while: { $0 != ":" }) else { return false }
        return subjects.split(separator: " ").contains { $0 == rawValue }
    }

    /// The cases that need what no unsigned program of a daemon has: every group, or the owner's rights.
    package var refusedCases: Set<String> {
        // They write to the group of tokens, as a program may that has every group.
        let tokens: Set = ["core-groups-010", "measured-007"]
        // It sets the policy of a locked device, whose owner is not known.
        let lockedPolicy: Set = ["device-passcode-011"]
        // They set the policy after the device was made: with a database, its passcode was entered here by then.
        let policies: Set = ["device-unlock-008", "device-passcode-009", "device-passcode-010"]
        return switch self {
        case .memory, .disk, .pipe, .socket: []
        case .daemon: tokens.union(lockedPolicy)
        case .system: tokens.union(lockedPolicy).union(policies)
        }
    }

    package static let initialGroups = ["TEAMID.com.example.app", "TEAMID.com.example.shared"]
}

/// An environment that is one task-local keychain context.
private struct ContextEnvironment: CaseEnvironment {
    private(set) var device: VirtualDevice
    private var context: KeychainContext

    init(_ device: VirtualDevice, _ client: Client) {
        self.device = device
        context = KeychainContext(backend: device.backend, client: client)
    }

    mutating func setGroups(_ groups: [String], of client: String) {
        context.client.accessGroups = groups
    }

    mutating func restore() throws {
        device = try device.restoredElsewhere()
        context.backend = device.backend
    }

    func run<R>(_ body: () throws -> R) rethrows -> R {
        try KeychainContext.$current.withValue(context, operation: body)
    }
}

extension VirtualDevice {
    /// A new device with what a backup of this one brings; the same owner, with the same finger.
    package func restoredElsewhere() throws -> VirtualDevice {
        let backup = try backUp(password: "backup")
        let device = try VirtualDevice(restoring: backup, password: "backup", platform)
        device.owner.authenticator.biometry = owner.authenticator.biometry
        device.owner.countsFailedRecognitions = false
        device.owner.answer = owner.answer
        return device
    }

    /// A device as every case finds it: unlocked, with a passcode and the first enrolled set.
    package static func ofCase(
        _ platform: Platform = .iOS,
        storage: Storage = .memory,
        transport: DeviceTransport = .direct
    ) throws -> VirtualDevice {
        let device = try VirtualDevice(platform, storage: storage, transport: transport)
        // The cases know sets by numbers, and begin with the first; no sensor is locked out but by a step.
        device.owner.authenticator.biometry = DeviceStep.enrolled(1, .touchID)
        device.owner.countsFailedRecognitions = false
        return device
    }
}
