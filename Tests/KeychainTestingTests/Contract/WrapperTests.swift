// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security
import Testing

@Suite("The contract tells wrappers that keep what they promise from those that do not")
struct WrapperTests {
    @Test("a wrapper that updates, adds and throws is faithful", arguments: VirtualDevice.Platform.withOneKeychain)
    func faithful(_ platform: VirtualDevice.Platform) async throws {
        let report = try await KeychainContract.report(of: FaithfulWrapper(), on: platform)
        #expect(report.violations == [])
        // A simulator hides what a lock does.
        let notRun = platform == .simulator ? Self.whileLocked : []
        #expect(report.notRun.map(\.rule.name) == notRun)
    }

    private static let whileLocked = [
        "unreadable is not absent", "a failed set loses nothing", "an unreadable list is not empty",
    ]

    @Test("a wrapper that helps too much breaks these rules")
    func helpful() async throws {
        let broken = try await KeychainContract.violations(of: HelpfulWrapper()).map(\.rule.name)
        #expect(
            broken == [
                "case counts", "the password comes back bit by bit", "an empty password is a password",
                "add twice is refused", "the list has each account once", "a foreign access group is refused",
                "unreadable is not absent", "a failed set loses nothing", "an unreadable list is not empty",
            ]
        )
    }

    @Test("a dictionary with a glued key breaks these rules, and cannot be locked")
    func glued() async throws {
        let report = try await KeychainContract.report(of: GluedDictionary())
        #expect(
            report.violations.map(\.rule.name) == [
                "key without separators", "bytes count, not characters", "the password comes back bit by bit",
                "add twice is refused", "clearing takes a service", "clearing takes whole names",
            ]
        )
        #expect(
            report.notRun.map(\.missing) == [
                .listing, .listing, .accessGroups, .accessGroups, .accessGroups, .concurrency, .device, .device,
                .listing,
            ]
        )
    }

    @Test("an actor is a subject like any other, from whatever actor it is held against the contract")
    @MainActor
    func actors() async throws {
        #expect(try await KeychainContract.violations(of: StoringActor()) == [])
    }
}

/// A store as new code has it: an actor.
actor StoringActor: PasswordStoreContractSubject {
    private let wrapper = FaithfulWrapper()

    func set(_ password: Data, service: String, account: String) throws {
        try wrapper.set(password, service: service, account: account)
    }

    func get(service: String, account: String) throws -> Data? { try wrapper.get(service: service, account: account) }

    func delete(service: String, account: String) throws { try wrapper.delete(service: service, account: account) }
}
