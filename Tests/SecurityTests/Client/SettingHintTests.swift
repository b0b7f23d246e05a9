// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainServices

/// Which failures a setting explains, and who is told.
struct SettingHintTests {
    private static let client = Client(accessGroups: ["a", "b"])
    private static let limited = PropertyDictionary(["class": .string("genp"), "m_Limit": .string("m_LimitAll")])
    private static let plain = PropertyDictionary(["svce": .string("s")])
    private static let grouped = PropertyDictionary(["agrp": .string("c")])

    private func hint(
        for status: Status,
        of operation: KeychainRequest.Operation,
        by client: Client = client,
        isVirtual: Bool = false,
        kind: KeychainError.Kind = .request
    ) -> SettingHint? {
        SettingHint(for: status, of: operation, by: client, isVirtual: isVirtual, kind: kind)
    }

    @Test("a locked keychain is explained with what unlocks it, and a call that permits no prompt is not")
    func locked() {
        let call = KeychainRequest.Operation.copyMatching(Self.plain)
        #expect(hint(for: .interactionNotAllowed, of: call, kind: .device(.locked)) == .locked)
        #expect(SettingHint.locked.text.contains("keychainctl device unlock -- "))
        #expect(hint(for: .interactionNotAllowed, of: call, isVirtual: true, kind: .device(.locked)) == nil)
        #expect(hint(for: .interactionNotAllowed, of: call, kind: .authentication(.notInteractive)) == nil)
        #expect(hint(for: .interactionNotAllowed, of: call) == nil)
    }

    @Test("a group that the program has not, and no group at all, are explained by its entitlements")
    func entitlements() {
        #expect(hint(for: .missingEntitlement, of: .add(Self.grouped)) == .anotherAccessGroup)
        let update = KeychainRequest.Operation.update(Self.plain, attributes: Self.grouped)
        #expect(hint(for: .missingEntitlement, of: update) == .anotherAccessGroup)
        #expect(hint(for: .missingEntitlement, of: .add(Self.grouped), by: Client(accessGroups: [])) == .noAccessGroups)
        // An attribute that takes a private entitlement.
        #expect(hint(for: .missingEntitlement, of: .add(PropertyDictionary(["agrp": .string("a")]))) == nil)
        #expect(
            hint(for: .missingEntitlement, of: .add(Self.grouped), isVirtual: true) == nil,
            "a test's own entitlements"
        )
        #expect(hint(for: .itemNotFound, of: .delete(Self.grouped)) == nil)
    }

    @Test("what the front end of macOS takes out is explained by the platform")
    func platform() {
        #expect(hint(for: .parameter, of: .delete(Self.limited)) == .platform)
        #expect(hint(for: .parameter, of: .update(Self.limited, attributes: Self.plain)) == .platform)
        #expect(hint(for: .parameter, of: .delete(PropertyDictionary(["r_Data": .boolean(true)]))) == .platform)
        #expect(hint(for: .parameter, of: .delete(Self.limited), isVirtual: true) == .platformOfDevice)
        #expect(hint(for: .parameter, of: .copyMatching(Self.limited)) == nil)
        #expect(hint(for: .parameter, of: .delete(Self.plain)) == nil)
        #expect(
            hint(for: .parameter, of: .delete(Self.limited), by: Client(accessGroups: ["a"], profile: .macOS)) == nil
        )
    }

    @Test("a program that lost its identity is told how to find out why, whether it finds nothing or may not add")
    func lostIdentity() {
        for (status, operation) in [
            (.itemNotFound, .copyMatching(Self.plain)), (.missingEntitlement, .add(Self.plain)),
        ]
            as [(Status, KeychainRequest.Operation)]
        {
            #expect(
                SettingHint(for: status, of: operation, by: Self.client, isVirtual: false, kind: .lostIdentity)
                    == .lostIdentity
            )
            #expect(hint(for: status, of: operation) == nil)
        }
    }

    @Test(
        "a hint is one line that names its setting, or the command that explains more",
        arguments: SettingHint.allCases
    )
    func text(_ hint: SettingHint) {
        #expect(!hint.text.contains("\n"))
        #expect(["SWIFT_KEYCHAIN_", "keychainctl"].contains { hint.text.contains($0) })
    }

    @Test("hints are for test runners and terminals, and can be turned off")
    func audience() {
        #expect(SettingHint.isWanted(setting: nil, program: "/a/PackageTests.xctest", hasTerminal: false))
        #expect(SettingHint.isWanted(setting: nil, program: "/a/tool", hasTerminal: true))
        #expect(!SettingHint.isWanted(setting: nil, program: "/a/tool", hasTerminal: false))
        #expect(!SettingHint.isWanted(setting: "off", program: "/a/PackageTests.xctest", hasTerminal: true))
    }
}
