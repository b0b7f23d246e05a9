// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import KeychainTesting
import Security
import Synchronization
import Testing

@Suite("The contract")
struct ContractTests {
    @Test("this keychain keeps every rule", arguments: VirtualDevice.Platform.withOneKeychain)
    func own(_ platform: VirtualDevice.Platform) throws {
        let report = try KeychainContract.report(of: SecItemFunctions(), on: platform)
        #expect(report.violations == [])
        let notRun: [String] =
            switch platform {
            case .iOS: []
            case .macOS, .mac: ["an update's query returns nothing", "a delete has no limit"]
            // It hides what a lock does.
            case .simulator:
                ["a locked item is not absent", "an add while locked is refused", "a delete works while locked"]
            }
        #expect(report.notRun.map(\.rule.name) == notRun)
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
                == "SecItemAdd(kSecAttrAccount: \"ada\", kSecAttrService: \"mail\", kSecClass: kSecClassGenericPassword, kSecValueData: <6 bytes>)"
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
            guard "\(issue)".contains("not a faithful keychain") else { return false }
            count.withLock { $0 += 1 }
            return true
        }
        #expect(count.withLock { $0 } == 2)
    }

    @Test("what comes of a violation is true of the subject: one that refuses too much is not said to allow it")
    func consequences() async throws {
        let violations = try await KeychainContract.violations(of: RefusingStore())
        #expect(!violations.isEmpty)
        for violation in violations {
            #expect(violation.consequence.hasPrefix("code that works on a device fails with the stand-in"))
        }
        let duplicate = try #require(
            try KeychainContract.violations(of: UpsertingMock()).first { $0.rule.name == "add twice is refused" }
        )
        #expect(duplicate.consequence == duplicate.rule.consequence)
    }

    @Test("what comes of a refusal with another status is not what the rule says of none")
    func otherStatus() throws {
        var functions = DefectiveFunctions()
        functions.onAdd = { attributes in
            let answer = DefectiveFunctions.real.add(attributes)
            return answer.status == errSecDuplicateItem ? SecItemAnswer(errSecParam) : answer
        }
        let violations = try KeychainContract.violations(of: functions)
        let duplicate = try #require(violations.first { $0.rule.name == "add twice is refused" })
        #expect(duplicate.consequence.hasPrefix("code that tells one failure from another"))
        #expect(duplicate.explanation != nil)
    }

    @Test("a list of what was ever stored, and a deletion by a prefix, are found")
    func listing() async throws {
        let broken = try await KeychainContract.violations(of: PrefixStore()).map(\.rule.name)
        #expect(broken.contains("the list forgets what was deleted"))
        #expect(broken.contains("clearing takes whole names"))
        #expect(!broken.contains("clearing takes a service"))
        #expect(!broken.contains("the list has each account once"))
    }

    @Test("rules that are not run are said, and are issues where the subject is to have what they need")
    func notRun() async throws {
        let warnings = Mutex<[String]>([])
        let errors = Mutex<[String]>([])
        try await withKnownIssue {
            try await KeychainContract.expectFaithful(StoringActor(), requiring: [.listing])
        } matching: { issue in
            let texts = issue.comments.map(\.rawValue)
            if issue.severity == .warning { warnings.withLock { $0 += texts } } else { errors.withLock { $0 += texts } }
            return true
        }
        #expect(errors.withLock { $0.count } == 3)
        #expect(errors.withLock { $0.allSatisfy { $0.contains("ListingPasswordStoreContractSubject") } })
        #expect(warnings.withLock { $0.count } == 1)
        #expect(warnings.withLock { $0.first?.contains("add twice is refused (needs Adding") } == true)
    }

    @Test("to require what no rule for the subject needs is an issue")
    func uselessRequirement() throws {
        try withKnownIssue {
            try KeychainContract.expectFaithful(SecItemFunctions(), requiring: [.device, .concurrency, .listing])
        } matching: { issue in
            "\(issue)".contains("no rule for this kind of subject needs ListingPasswordStoreContractSubject")
        }
    }

    @Test("passwords that are readable at any time keep no rule of those that are not: it is not run")
    func readable() async throws {
        let report = try await KeychainContract.report(of: ReadableStore())
        #expect(report.violations == [])
        let notRun = try #require(report.notRun.first { $0.rule.name == "unreadable is not absent" })
        #expect(notRun.missing == .device)
        #expect(!report.kept.contains(notRun.rule))
    }

    @Test("a list that is empty while locked is found")
    func emptyList() async throws {
        let report = try await KeychainContract.report(of: ForgetfulLister())
        #expect(report.violations.map(\.rule.name) == ["an unreadable list is not empty"])
        let other = try await KeychainContract.report(of: PrefixStore())
        let omission = try #require(other.notRun.first { $0.rule.name == "an unreadable list is not empty" })
        #expect(omission.missing == .device)
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

/// The faithful wrapper, but for a level that needs no unlock.
private struct ReadableStore: PasswordStoreContractSubject {
    private let wrapper = FaithfulWrapper()

    func set(_ password: Data, service: String, account: String) throws {
        try wrapper.set(password, service: service, account: account)
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
        ]
        // What the deprecated kSecAttrAccessibleAlways is.
        SecItemUpdate(query as CFDictionary, [kSecAttrAccessible: "dk"] as CFDictionary)
    }

    func get(service: String, account: String) throws -> Data? { try wrapper.get(service: service, account: account) }
    func delete(service: String, account: String) throws { try wrapper.delete(service: service, account: account) }
}

/// The faithful wrapper, but for a list that takes every failure for none.
private struct ForgetfulLister: ListingPasswordStoreContractSubject {
    private let wrapper = FaithfulWrapper()

    func set(_ password: Data, service: String, account: String) throws {
        try wrapper.set(password, service: service, account: account)
    }

    func get(service: String, account: String) throws -> Data? { try wrapper.get(service: service, account: account) }
    func delete(service: String, account: String) throws { try wrapper.delete(service: service, account: account) }
    func accounts(service: String) -> [String] { (try? wrapper.accounts(service: service)) ?? [] }
}

/// A store that refuses every password.
private struct RefusingStore: PasswordStoreContractSubject {
    struct Full: Error {}

    func set(_ password: Data, service: String, account: String) throws { throw Full() }
    func get(service: String, account: String) -> Data? { nil }
    func delete(service: String, account: String) {}
}

/// A store that remembers deleted accounts, and clears every service that begins as the named one does.
private final class PrefixStore: ListingPasswordStoreContractSubject, ClearingPasswordStoreContractSubject {
    private var passwords: [String: [String: Data]] = [:]
    private var listed: [String: Set<String>] = [:]

    func set(_ password: Data, service: String, account: String) {
        passwords[service, default: [:]][account] = password
        listed[service, default: []].insert(account)
    }

    func get(service: String, account: String) -> Data? { passwords[service]?[account] }
    func delete(service: String, account: String) { passwords[service]?[account] = nil }
    func accounts(service: String) -> [String] { Array(listed[service] ?? []) }
    func deleteAll(service: String) { passwords = passwords.filter { !$0.key.hasPrefix(service) } }
}
