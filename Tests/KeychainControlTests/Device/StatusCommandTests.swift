// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// What `keychainctl device status` writes.
struct StatusCommandTests {
    private static let full = DeviceStatus(
        lockState: .locked,
        hasPasscode: true,
        failedAttempts: 6,
        secondsUntilNextAttempt: 59.5,
        policy: DevicePolicy(autoLockAfterSeconds: 1, eraseAfterFailedAttempts: 10)
    )

    private static let summary = DeviceSummary(
        exists: true,
        hasPasscode: true,
        recoveryKeyDate: .referenceDate,
        itemCount: 3,
        hasRootKey: true
    )

    @Test("a status is lines of a name and a value")
    func plain() {
        #expect(
            StatusText.plain(Self.full, Self.summary) == """
                State:            locked
                Passcode:         set
                Recovery key:     made 2001-01-01T00:00:00Z
                Wrong passcodes:  6 in a row, next attempt in 60 seconds
                Locks itself:     after 1 second without a call
                Erases itself:    after 10 wrong passcodes
                """
        )
        #expect(
            StatusText.plain(DeviceStatus(lockState: .unlocked, hasPasscode: false), DeviceSummary()) == """
                State:            unlocked
                Passcode:         not set
                Recovery key:     none
                Wrong passcodes:  0 in a row
                Locks itself:     never
                Erases itself:    never
                """
        )
    }

    @Test("as JSON it is an object that has every name in every state", arguments: LockState.allCases)
    func json(_ state: LockState) throws {
        var status = Self.full
        status.lockState = state
        #expect(
            try object(StatusText.json(status, Self.summary)) == [
                "state": ["before first unlock": "beforeFirstUnlock"][state.rawValue] ?? state.rawValue,
                "passcodeSet": true, "failedAttempts": 6, "secondsUntilNextAttempt": 59.5, "autoLockAfterSeconds": 1,
                "eraseAfterFailedAttempts": 10, "recoveryKeyCreated": "2001-01-01T00:00:00Z", "storeFormat": NSNull(),
                "programFormat": NSNull(),
            ] as NSDictionary
        )
        #expect(
            try object(StatusText.json(DeviceStatus(lockState: state, hasPasscode: false), DeviceSummary()))[
                "autoLockAfterSeconds"
            ] is NSNull
        )
    }

    @Test("the command writes one or the other, and is what `device` does by itself")
    func command() throws {
        let control = Control(device: FakeDevice(passcode: "1234"))
        let plain = try control.run(["device", "status"])
        #expect(plain.status == 0)
        #expect(plain.output.hasPrefix("State:            before first unlock\nPasscode:         set\n"))
        #expect(try control.run(["device"]) == plain)
        #expect(try object(control.run(["device", "status", "--json"]).output)["passcodeSet"] as? Bool == true)
    }

    @Test("a root key whose file has another name is told of, beside the status")
    func linkedRootKey() throws {
        var control = Control(device: FakeDevice(passcode: "1234"))
        let plain = try control.run(["device", "status"])
        #expect(plain.remarks.isEmpty)
        control.linkedRootKey = "/folder/root.key"
        let outcome = try control.run(["device", "status"])
        #expect(outcome.output == plain.output)
        #expect(outcome.remarks.contains("/folder/root.key has another name elsewhere"))
    }

    @Test("a folder that lets another user replace the keychain's is told of, beside the status")
    func replaceablePart() throws {
        var control = Control(device: FakeDevice(passcode: "1234"))
        let plain = try control.run(["device", "status"])
        for (owner, why) in [(7, "belongs to another user (7)"), (nil, "can be written by other users")]
            as [(UInt32?, String)]
        {
            control.replaceablePart = ReplaceablePart(path: "/srv/shared", owner: owner)
            let outcome = try control.run(["device", "status"])
            #expect(outcome.output == plain.output)
            #expect(outcome.remarks.contains("/srv/shared \(why)"))
            #expect(outcome.remarks.contains("SWIFT_KEYCHAIN_HOME"))
        }
    }

    private func object(_ text: String) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
    }
}
