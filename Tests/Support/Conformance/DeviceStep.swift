// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainSimulation
import Security

/// What a step does to the device or to its owner.
///
/// The steps of the case format, and our own, which it has no words for: see `init(_:_:)`.
enum DeviceStep {
    case lock
    case lockThisProcess
    /// With the owner's passcode, or another one.
    case unlock(passcode: String?)
    case reboot
    case setPasscode(String)
    case changePasscode(String)
    case removePasscode
    case setPolicy(VirtualDevice.Policy)
    case status
    case advanceClock(seconds: Double)
    case setOwner(Owner.Answer)
    case setBiometry(Biometry)
    /// Whether the user can be prompted for text.
    case setTerminal(Bool)
    /// What the storage of the device is like.
    case setStorage(StorageCondition)
    /// What was asked since the step before that asked this.
    case prompts
}

// MARK: - From JSON

extension DeviceStep {
    /// Reads a step by its name; `nil` when it is of another kind.
    init?(_ name: String, _ arguments: JSONValue) throws(CaseDefect) {
        guard let names = Self.argumentNames[name] else { return nil }
        let members = try arguments.object("args")
        try members.allow(only: names, in: "args")
        switch name {
        case "lock": self = .lock
        case "lockThisProcess": self = .lockThisProcess
        case "unlock": self = .unlock(passcode: try members["passcode"]?.string("\"passcode\""))
        case "reboot": self = .reboot
        case "setPasscode":
            self = .setPasscode(try members["passcode"]?.string("\"passcode\"") ?? VirtualDevice.defaultPasscode)
        case "changePasscode": self = .changePasscode(try members.required("to", of: "args").string("\"to\""))
        case "removePasscode": self = .removePasscode
        case "setPolicy": self = .setPolicy(try Self.policy(members))
        case "deviceStatus": self = .status
        case "advanceClock":
            self = .advanceClock(seconds: Double(try members.required("seconds", of: "args").integer("\"seconds\"")))
        case "setAuth": self = .setOwner(try Self.owner(members))
        case "setBiometry": self = .setBiometry(try Self.biometry(members))
        case "setTerminal": self = .setTerminal(try members.required("isThere", of: "args").boolean("\"isThere\""))
        case "setStorage": self = .setStorage(try Self.storage(members))
        default: self = .prompts
        }
    }

    private static let argumentNames: [String: Set<String>] = [
        "lock": [], "lockThisProcess": [], "unlock": ["passcode"], "reboot": [], "setPasscode": ["passcode"],
        "changePasscode": ["to"], "removePasscode": [],
        "setPolicy": ["autoLockAfterSeconds", "eraseAfterFailedAttempts"], "deviceStatus": [],
        "advanceClock": ["seconds"], "setAuth": ["policy"], "setBiometry": ["kind", "set", "isLockedOut"],
        "setTerminal": ["isThere"], "setStorage": ["condition"], "prompts": [],
    ]

    private static func storage(_ members: [String: JSONValue]) throws(CaseDefect) -> StorageCondition {
        let name = try members.required("condition", of: "args").string("\"condition\"")
        switch name {
        case "healthy": return .healthy
        case "full": return .full
        case "readOnly": return .readOnly
        case "everyItemDamaged": return .everyItemDamaged
        default: throw CaseDefect("unknown condition \"\(name)\"")
        }
    }

    private static func policy(_ members: [String: JSONValue]) throws(CaseDefect) -> VirtualDevice.Policy {
        VirtualDevice.Policy(
            autoLockAfterSeconds: try members["autoLockAfterSeconds"]?.integer("\"autoLockAfterSeconds\""),
            eraseAfterFailedAttempts: try members["eraseAfterFailedAttempts"]?.integer("\"eraseAfterFailedAttempts\"")
        )
    }

    private static func owner(_ members: [String: JSONValue]) throws(CaseDefect) -> Owner.Answer {
        let name = try members.required("policy", of: "args").string("\"policy\"")
        let answers: [String: Owner.Answer] = ["allow": .succeeds, "deny": .fails, "cancel": .cancels]
        guard let answer = answers[name] else { throw CaseDefect("unknown policy \"\(name)\"") }
        return answer
    }

    /// A sensor with a set of fingers or faces enrolled; another number is another set.
    static func enrolled(_ set: UInt8, _ kind: Biometry.Kind) -> Biometry {
        Biometry(kind, enrolledSet: Bytes16([UInt8](repeating: set, count: Bytes16.count)))
    }

    /// A set of 0 is none.
    private static func biometry(_ members: [String: JSONValue]) throws(CaseDefect) -> Biometry {
        let name = try members.required("kind", of: "args").string("\"kind\"")
        let kinds: [String: Biometry.Kind] = ["none": .none, "touchID": .touchID, "faceID": .faceID]
        guard let kind = kinds[name] else { throw CaseDefect("unknown kind \"\(name)\"") }
        let set = try members["set"]?.integer("\"set\"") ?? 0
        guard let number = UInt8(exactly: set) else { throw CaseDefect("a set is a number from 0 to 255") }
        var biometry = number == 0 ? Biometry(kind) : enrolled(number, kind)
        biometry.isLockedOut = try members["isLockedOut"]?.boolean("\"isLockedOut\"") ?? false
        return biometry
    }
}

// MARK: - On a device

extension DeviceStep {
    /// Carries out the step; what the device refuses is the status.
    func perform(on device: VirtualDevice, _ promptsSeen: inout Int) -> CallResult {
        do throws(VirtualDeviceError) {
            return CallResult(status: errSecSuccess, value: try value(on: device, &promptsSeen))
        } catch {
            return CallResult(status: error.status, value: nil)
        }
    }

    private func value(on device: VirtualDevice, _ promptsSeen: inout Int) throws(VirtualDeviceError) -> Any? {
        switch self {
        case .lock: try device.lock()
        case .lockThisProcess: device.backend.device.lockThisProcess()
        case .unlock(nil): try device.unlock()
        case .unlock(let passcode?): try device.unlock(passcode: passcode)
        case .reboot: device.reboot()
        case .setPasscode(let passcode): try device.setPasscode(passcode)
        case .changePasscode(let passcode): try device.changePasscode(to: passcode)
        case .removePasscode:
            // The cases know a passcode that is off and on again, and fingers that stay.
            let biometry = device.owner.authenticator.biometry
            try device.removePasscode()
            device.owner.authenticator.biometry = biometry
        case .setPolicy(let policy): try device.setPolicy(policy)
        case .status: return try Self.describe(device)
        case .advanceClock(let seconds): device.clock.advance(by: .seconds(seconds))
        case .setOwner(let answer): device.owner.answer = answer
        case .setBiometry(let biometry): device.owner.authenticator.biometry = biometry
        case .setTerminal(let isThere): device.owner.authenticator.canAskForSecrets = isThere
        case .setStorage(let condition): try device.setStorageCondition(condition)
        case .prompts:
            let prompts = device.owner.authenticator.prompts
            defer { promptsSeen = prompts.count }
            return prompts.dropFirst(promptsSeen).map(Self.describe)
        }
        return nil
    }

    private static func describe(_ device: VirtualDevice) throws(VirtualDeviceError) -> [String: Any] {
        let status: DeviceStatus
        do throws(KeychainError) { status = try device.backend.device.status() } catch {
            throw VirtualDeviceError(error)
        }
        return [
            "lockState": status.lockState.rawValue, "hasPasscode": status.hasPasscode,
            "failedAttempts": status.failedAttempts, "secondsUntilNextAttempt": status.secondsUntilNextAttempt,
        ]
    }

    private static func describe(_ prompt: AuthenticationPrompt) -> [String: Any] {
        ["kind": "\(prompt.kind)", "reason": prompt.reason]
    }
}
