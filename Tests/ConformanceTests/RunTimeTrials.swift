// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Conformance

/// A step that got a status, after others that succeeded; and whether that skips the case.
struct RunTimeTrial: Sendable, CustomTestStringConvertible {
    var name: String
    var earlier: [String]
    var step: String
    var status: Int32
    var capability: Capability?

    init(_ name: String, _ earlier: [String], _ step: String, _ status: Int32, _ capability: Capability?) {
        self.name = name
        self.earlier = earlier
        self.step = step
        self.status = status
        self.capability = capability
    }

    var testDescription: String { name }

    static func step(_ json: String) throws -> Step {
        try Step(JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)))
    }
}

extension RunTimeTrial {
    static let all: [RunTimeTrial] = [
        // reading an item that needs authentication
        RunTimeTrial("copy", [add(#""userPresence""#)], copy(), locked, .authentication),
        RunTimeTrial("update", [add(#""devicePasscode""#)], update(), locked, .authentication),
        RunTimeTrial("after an update", [update(accessControl(#""biometryAny""#))], copy(), locked, .authentication),
        RunTimeTrial("saved access control", [create, variable], copy(), locked, .authentication),
        RunTimeTrial("UI allowed", [add(#""userPresence""#)], copy(allowed), locked, .authentication),
        RunTimeTrial("Fail", [add(#""userPresence""#)], copy(forbidden("Fail")), locked, nil),
        RunTimeTrial("Skip", [add(#""userPresence""#)], copy(forbidden("Skip")), locked, nil),
        RunTimeTrial("no UI", [add(#""userPresence""#)], copy(#","kSecUseNoAuthenticationUI":true"#), locked, nil),
        RunTimeTrial("no constraint", [add(#""privateKeyUsage""#)], copy(), locked, nil),
        RunTimeTrial("nothing stored", [], copy(), locked, nil),
        RunTimeTrial("delete", [add(#""userPresence""#)], #"{"op":"delete","args":{}}"#, locked, nil),
        RunTimeTrial("another status", [add(#""userPresence""#)], copy(), -25293, nil),
        RunTimeTrial("expected", [add(#""userPresence""#)], copy("", "errSecInteractionNotAllowed"), locked, nil),

        // storing an item that exists only while a passcode is set
        RunTimeTrial("plain", [], addAccessible(passcodeOnly), unavailable, .passcode),
        RunTimeTrial("in an access control", [], add("", passcodeOnly), unavailable, .passcode),
        RunTimeTrial("other level", [], addAccessible("kSecAttrAccessibleAlways"), unavailable, nil),
        RunTimeTrial("other status", [], addAccessible(passcodeOnly), -25308, nil),
        RunTimeTrial("failure expected", [], addAccessible(passcodeOnly, "errSecParam"), unavailable, nil),
    ]

    private static let locked: Int32 = -25308
    private static let unavailable: Int32 = -25291
    private static let passcodeOnly = "kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly"
    private static let allowed =
        #","kSecUseAuthenticationUI":"kSecUseAuthenticationUIAllow","kSecUseNoAuthenticationUI":true"#
    private static let create =
        #"{"op":"createAccessControl","args":{"protection":"ak","flags":["userPresence"]},"save":"ac"}"#
    private static let variable = #"{"op":"add","args":{"kSecAttrAccessControl":{"var":"ac"}}}"#

    private static func add(_ flags: String, _ protection: String = "kSecAttrAccessibleWhenUnlocked") -> String {
        #"{"op":"add","args":{\#(accessControl(flags, protection))}}"#
    }

    private static func accessControl(_ flags: String, _ protection: String = "ak") -> String {
        #""kSecAttrAccessControl":{"accessControl":{"protection":"\#(protection)","flags":[\#(flags)]}}"#
    }

    private static func addAccessible(_ protection: String, _ status: String = "errSecSuccess") -> String {
        #"{"op":"add","args":{"kSecAttrAccessible":"\#(protection)"},"expect":{"status":"\#(status)"}}"#
    }

    private static func copy(_ more: String = "", _ status: String = "errSecSuccess") -> String {
        #"{"op":"copy","args":{"kSecClass":"genp"\#(more)},"expect":{"status":"\#(status)"}}"#
    }

    private static func update(_ attributes: String = "") -> String {
        #"{"op":"update","args":{"kSecClass":"genp"},"update":{\#(attributes)}}"#
    }

    private static func forbidden(_ choice: String) -> String {
        #","kSecUseAuthenticationUI":"kSecUseAuthenticationUI\#(choice)""#
    }
}
