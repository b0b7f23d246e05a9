// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainProtection
import KeychainServer
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// A program that claims every group.
struct UserProgramEveryGroupTests {
    private let bench = UserProgramBench()

    @Test("every group stands for two whose names differ in their bytes alone as well")
    func canonicallyEquivalentGroups() throws {
        let named = ["gr\u{E9}", "gre\u{301}"]
        for group in named { try bench.add("a", to: group) }
        let stored = try bench.groups(["*"], .copyMatching(UserProgramBench.everything))
        #expect(named.allSatisfy { name in stored.contains { $0.utf8.elementsEqual(name.utf8) } })
    }

    @Test("every group stands for those that items are in and nobody owns, always in the same order")
    func everyGroup() throws {
        for (account, group) in [("1", "b"), ("2", "a"), ("3", "\(UserProgramBench.team).c")] {
            try bench.add(account, to: group)
        }
        #expect(
            try bench.groups(["swift-keychain.common", "*"], .copyMatching(UserProgramBench.everything)) == [
                Client.commonGroup, "a", "b",
            ]
        )
        guard case .list(let items) = try bench.perform(.copyMatching(UserProgramBench.everything), ["*"]) else {
            return #expect(Bool(false))
        }
        #expect(items.count == 2)
        let named: PropertyDictionary = ["class": .string("genp"), "agrp": .string("new")]
        #expect(try bench.groups(["*"], .copyMatching(named)).contains("new"))
    }

    @Test("a program with every group searches an empty keychain, and has to name the group of what it adds")
    func onlyEveryGroup() throws {
        let nothing = #expect(throws: KeychainError.self) {
            try bench.perform(.copyMatching(UserProgramBench.everything), ["*"])
        }
        #expect(nothing?.status == .itemNotFound)
        try bench.add("1", to: "a")
        let item: PropertyDictionary = ["class": .string("genp"), "acct": .string("2")]
        let unnamed = #expect(throws: KeychainError.self) { try bench.perform(.add(item), ["*"]) }
        #expect(unnamed?.status == .missingEntitlement)
    }

    @Test("while the device is locked, a locked or damaged item hides no other, and is not missing")
    func everyGroupLocked() throws {
        try bench.keychain.device.setPasscode(SecretBytes([1]))
        try bench.add("locked", to: "a", ["pdmn": .string("ak")])
        try bench.add("locked", to: "b", ["pdmn": .string("ak")])
        try bench.add("open", to: "b", ["pdmn": .string("ck")])
        try bench.add("open", to: "c", ["pdmn": .string("ck")])
        _ = try bench.perform(.copyMatching(UserProgramBench.everything), ["*"])
        try bench.keychain.device.lock()
        for (account, group, expected) in [
            ("open", "b", .success), ("open", "c", .success), ("locked", "b", .interactionNotAllowed),
            ("locked", "a", .interactionNotAllowed), ("other", nil, .itemNotFound),
        ] as [(String, String?, Status)] {
            var query: PropertyDictionary = ["class": .string("genp"), "acct": .string(account)]
            if let group { query["agrp"] = .string(group) }
            #expect(status(.copyMatching(query)) == expected, "\(account), \(group ?? "")")
        }
        #expect(status(.copyMatching(["class": .string("genp"), "acct": .string("locked")])) == .interactionNotAllowed)
    }

    private func status(_ operation: KeychainRequest.Operation) -> Status {
        do throws(KeychainError) {
            _ = try bench.perform(operation, ["*"])
            return .success
        } catch { return error.status }
    }
}
