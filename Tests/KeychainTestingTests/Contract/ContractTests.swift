// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import KeychainTesting
import Security
import Synchronization
import Testing

@Suite("The contract")
struct ContractTests {
    @Test("this keychain keeps every rule", arguments: VirtualDevice.Platform.allCases)
    func own(_ platform: VirtualDevice.Platform) throws {
        let report = try KeychainContract.report(of: SecItemFunctions(), on: platform)
        #expect(report.violations == [])
        let notRun = platform == .macOS ? ["an update's query returns nothing", "a delete has no limit"] : []
        #expect(report.notRun.map(\.name) == notRun)
    }

    @Test("this keychain keeps every rule on file too")
    func onFile() throws { try KeychainContract.expectFaithful(try KeychainOnFile()) }

    @Test("each rule has a unique name, a statement, and the consequence of breaking it")
    func table() {
        for rules in [KeychainContract.secItemRules, KeychainContract.passwordStoreRules] {
            #expect(Set(rules.map(\.name)).count == rules.count)
            #expect(rules.allSatisfy { !$0.statement.isEmpty && !$0.consequence.isEmpty && !$0.source.isEmpty })
        }
    }

    @Test("a violation says what was called, what was expected and what came, and no secret")
    func texts() throws {
        let violations = try KeychainContract.violations(of: AccountDictionaryMock())
        let duplicate = try #require(violations.first { $0.rule.name == "add twice is refused" })
        #expect(duplicate.expected == "errSecDuplicateItem (-25299)")
        #expect(duplicate.got == "errSecSuccess (0)")
        #expect(
            duplicate.call
                == "SecItemAdd(acct: \"ada\", class: \"genp\", svce: \"mail\", v_Data: <6 bytes>)"
        )
        #expect("\(duplicate)".contains(duplicate.rule.consequence))
    }

    @Test("what a subject throws when it is made comes out")
    func throwing() {
        struct Broken: Error {}
        func make() throws -> SecItemFunctions { throw Broken() }
        #expect(throws: Broken.self) { try KeychainContract.violations(of: try make()) }
    }

    @Test("an unfaithful subject is an issue for each rule, but for the exceptions")
    func issues() throws {
        let broken = try KeychainContract.violations(of: UpsertingMock()).map(\.rule.name)
        try KeychainContract.expectFaithful(UpsertingMock(), except: broken)
        let count = Mutex(0)
        try withKnownIssue {
            try KeychainContract.expectFaithful(UpsertingMock(), except: Array(broken.dropFirst(2)))
        } matching: { issue in
            count.withLock { $0 += 1 }
            return "\(issue)".contains("not a faithful keychain")
        }
        #expect(count.withLock { $0 } == 2)
    }

    @Test("an exception that is of no use is an issue")
    func uselessExceptions() throws {
        try withKnownIssue {
            try KeychainContract.expectFaithful(SecItemFunctions(), except: ["add twice is refused"])
        } matching: {
            "\($0)".contains("the subject does not break it")
        }
        try withKnownIssue {
            try KeychainContract.expectFaithful(SecItemFunctions(), except: ["a misspelt rule"])
        } matching: {
            "\($0)".contains("there is no such rule")
        }
    }
}

/// The functions, on a device whose keychain lies in a file.
private struct KeychainOnFile: SecItemContractSubject, ConcurrentContractSubject {
    private let app: App
    private let functions = SecItemFunctions()

    init() throws {
        app = try VirtualDevice(storage: .file).install(KeychainContract.entitlements)
    }

    func add(_ attributes: [String: Any]) -> SecItemAnswer { app.run { functions.add(attributes) } }
    func copyMatching(_ query: [String: Any]) -> SecItemAnswer { app.run { functions.copyMatching(query) } }
    func update(_ query: [String: Any], _ new: [String: Any]) -> OSStatus { app.run { functions.update(query, new) } }
    func delete(_ query: [String: Any]) -> OSStatus { app.run { functions.delete(query) } }
}
