// SPDX-License-Identifier: Apache-2.0

import Keychain
import KeychainSimulation
import KeychainTesting
import Testing

/// The ways to a keychain: each behaves the same.
enum Way: String, CaseIterable, Sendable {
    /// The real one, over the engine.
    case engine
    /// The real one, over the item functions, as on Apple platforms.
    case functions
    /// The one in memory.
    case memory

    /// A keychain in this way, with its device.
    func subject() throws -> Subject {
        switch self {
        case .engine: try .app(SystemKeychain(EngineTransport()))
        case .functions: try .app(SystemKeychain(FunctionTransport()))
        case .memory: .memory(InMemoryKeychain(accessGroups: Entitlements.grouped.accessGroups))
        }
    }
}

extension Entitlements {
    /// An app with two groups; the first is its default one.
    static let grouped = Entitlements(
        team: "TEAMID1234",
        bundleIdentifier: "com.example.app",
        keychainAccessGroups: ["com.example.app", "com.example.shared"]
    )

    static let defaultGroup = "TEAMID1234.com.example.app"
    static let sharedGroup = "TEAMID1234.com.example.shared"
}

/// A keychain and what a test does to its device.
enum Subject {
    case system(SystemKeychain, VirtualDevice)
    case memory(InMemoryKeychain)

    static func app(_ keychain: SystemKeychain) throws -> Subject {
        .system(keychain, try #require(App.current).device)
    }

    var keychain: any KeychainProtocol {
        switch self {
        case .system(let keychain, _): keychain
        case .memory(let keychain): keychain
        }
    }

    func lock() throws {
        switch self {
        case .system(_, let device): try device.lock()
        case .memory(let keychain): keychain.isLocked = true
        }
    }

    func unlock() throws {
        switch self {
        case .system(_, let device): try device.unlock()
        case .memory(let keychain): keychain.isLocked = false
        }
    }

    /// What the user does when asked.
    func answer(_ person: InMemoryKeychain.Person) {
        switch self {
        case .system(_, let device):
            device.owner.answer =
                switch person {
                case .agrees: .succeeds
                case .cancels: .cancels
                case .isAStranger: .fails
                }
        case .memory(let keychain): keychain.person = person
        }
    }
}
