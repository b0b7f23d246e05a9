// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing
import XCTest

/// A dictionary in place of the keychain, as most teams have it.
private protocol TokenKeychain {
    func save(_ token: Data, account: String)
    func token(account: String) -> Data?
}

private final class MockKeychain: TokenKeychain {
    private var items: [String: Data] = [:]
    func save(_ token: Data, account: String) { items[account] = token }
    func token(account: String) -> Data? { items[account] }
    func remove(_ account: String) { items[account] = nil }
}

extension MockKeychain: PasswordStoreContractSubject {
    func set(_ password: Data, service: String, account: String) { save(password, account: "\(service) \(account)") }
    func get(service: String, account: String) -> Data? { token(account: "\(service) \(account)") }
    func delete(service: String, account: String) { remove("\(service) \(account)") }
}

private func theMockIsFaithful() async throws {
    try await KeychainContract.expectFaithful(MockKeychain())
}

/// A mock of the four functions.
private final class OurMock: SecItemContractSubject {
    func add(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>) -> OSStatus { errSecUnimplemented }
    func add(_ attributes: [String: Any]) -> SecItemAnswer { SecItemAnswer(errSecUnimplemented) }
    func copyMatching(_ query: [String: Any]) -> SecItemAnswer { SecItemAnswer(errSecUnimplemented) }
    func update(_ query: [String: Any], _ attributes: [String: Any]) -> OSStatus { errSecUnimplemented }
    func delete(_ query: [String: Any]) -> OSStatus { errSecUnimplemented }
}

private struct Subject: SecItemContractSubject {
    let mock = OurMock()
    func add(_ attributes: [String: Any]) -> SecItemAnswer {
        SecItemAnswer { mock.add(attributes as CFDictionary, $0) }
    }
    func copyMatching(_ query: [String: Any]) -> SecItemAnswer { mock.copyMatching(query) }
    func update(_ query: [String: Any], _ attributes: [String: Any]) -> OSStatus { mock.update(query, attributes) }
    func delete(_ query: [String: Any]) -> OSStatus { mock.delete(query) }
}

private struct Refresher: Sendable {
    func refresh() async { SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary) }
}

/// An item that asks for its owner.
private struct GuardedStore: Sendable {
    private var query: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example", kSecAttrAccount: "guarded"]
    }

    func add() throws {
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
        )
        let item: [CFString: Any] = [kSecValueData: Data("t".utf8), kSecAttrAccessControl: control]
        #expect(SecItemAdd(query.merging(item) { $1 } as CFDictionary, nil) == errSecSuccess)
    }

    func token() throws -> String? {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query.merging([kSecReturnData: true]) { $1 } as CFDictionary, &result)
        return status == errSecSuccess ? "t" : nil
    }
}

/// A store of one token.
private struct TokenStore {
    enum Failure: Error { case status(OSStatus) }
    typealias Locked = Failure

    private var query: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example", kSecAttrAccount: "token"]
    }

    func save(_ token: String) throws {
        let status = SecItemAdd(query.merging([kSecValueData: Data(token.utf8)]) { $1 } as CFDictionary, nil)
        guard status == errSecSuccess else { throw Failure.status(status) }
    }

    func token() throws -> String? {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query.merging([kSecReturnData: true]) { $1 } as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess else { throw Failure.status(status) }
        return (result as? Data).map { String(decoding: $0, as: UTF8.self) }
    }

    func load() throws -> String? { try token() }
}

/// The samples of TestingKeychainCode, and of the kit's declarations.
@Suite("The samples of the pages about tests")
struct TestingPageSamples {
    @Test func mock() {
        let mock = MockKeychain()
        mock.save(Data("one".utf8), account: "ada")
        #expect(mock.token(account: "ada") == Data("one".utf8))
    }

    @Test(.keychain) func aTokenComesBack() throws {
        let store = TokenStore()
        try store.save("t0ken")
        #expect(try store.token() == "t0ken")
    }

    @Test(arguments: Scenario.all)
    func theTokenIsNeverTakenForGone(_ scenario: Scenario) throws {
        try scenario.play {
            try TokenStore().save("t0ken")
        } afterwards: {
            switch scenario.expectation {
            case .isThere: try #expect(TokenStore().token() == "t0ken")
            case .isUnreadableForNow: #expect(throws: TokenStore.Failure.self) { try TokenStore().token() }
            default: break
            }
        }
    }

    @Test(.keychain) func aFullDiskIsReported() throws {
        let device = try #require(App.current).device
        try device.setStorageCondition(.full)
        #expect(throws: TokenStore.Failure.self) { try TokenStore().save("t0ken") }
        #expect(device.calls.last?.status == errSecDiskFull)

        try device.setStorageCondition(.healthy)
        device.faults.fail(with: errSecInteractionNotAllowed, .afterEffect, on: [.add])
        #expect(throws: TokenStore.Failure.self) { try TokenStore().save("t0ken") }
    }

    @Test func steps() throws {
        let world = try ScenarioWorld(.teamChanged)
        try world.run { try TokenStore().save("t") }
        try world.triggerEvent()
        try world.run { try #expect(TokenStore().load() == nil) }
    }

    @Test(arguments: Scenario.all)
    func tokenSurvives(_ scenario: Scenario) throws {
        try scenario.play {
            try TokenStore().save("t")
        } afterwards: {
            switch scenario.expectation {
            case .isThere: try #expect(TokenStore().load() == "t")
            case .isUnreadableForNow: #expect(throws: TokenStore.Locked.self) { try TokenStore().load() }
            default: try #expect(TokenStore().load() == nil)
            }
        }
    }

    @Test(.keychain) func faults() throws {
        let device = try #require(App.current).device
        device.faults.fail(with: errSecNotAvailable, on: [.update], skipping: 1)
        device.faults.fail(with: errSecIO, .afterEffect, times: nil) { $0.account == "token" }
        #expect(throws: TokenStore.Failure.self) { try TokenStore().save("t") }
        #expect(device.calls.filter { $0.status == errSecDuplicateItem }.isEmpty)
    }

    @Test(.keychain) func carrying() async throws {
        let app = try #require(App.current)
        nonisolated(unsafe) let query = [kSecClass: kSecClassGenericPassword] as CFDictionary
        let queue = DispatchQueue(label: "queue")
        let session = Refresher()
        let task =
            Task.detached(operation: app.carry { await session.refresh() })
        await task.value
        queue.async(execute: app.carry { SecItemDelete(query) })
        queue.sync {}
        #expect(app.device.calls.map(\.status) == [errSecItemNotFound, errSecItemNotFound])
    }

    @Test func openQuestion() async throws {
        let device = try VirtualDevice()
        let app = device.install()
        let store = GuardedStore()
        try app.run { try store.add() }
        try await app.run {
            device.owner.answer = .waits
            async let token = app.runOnThread { try store.token() }
            let question = try await device.owner.nextOpenQuestion()
            question.answer(.cancels)
            #expect(try await token == nil)
        }
    }

    @Test func heldCall() async throws {
        let app = try VirtualDevice().install()
        let (store, token) = (TokenStore(), "t0ken")
        await #expect(throws: TokenStore.Failure.self) {
            let gate = app.device.faults.hold(on: [.add])
            async let saving: Void = app.runOnThread { try store.save(token) }
            await gate.waitForCall()
            try app.device.lock()
            gate.open()
            try await saving
        }
    }

    @Test func aMockIsJudged() async throws {
        #expect(try !KeychainContract.report(of: Subject()).isFaithful)
        #expect(try await !KeychainContract.report(of: MockKeychain()).isFaithful)
    }

    /// Each sample, where its issues are known.
    @Test func mocksThatAreNotFaithful() async throws {
        @Sendable func theMockLists() async throws {
            try await KeychainContract.expectFaithful(MockKeychain(), requiring: [.listing, .clearing])
        }
        func ourMockIsFaithful() throws {
            try KeychainContract.expectFaithful(OurMock())
        }
        await withKnownIssue { try await theMockIsFaithful() }
        await withKnownIssue { try await theMockLists() }
        withKnownIssue { try ourMockIsFaithful() }
    }
}

final class TokenStoreTests: XCTestCase {
    func testTokenComesBack() throws {
        let app = try VirtualDevice().install()
        try app.run {
            try TokenStore().save("t0ken")
            XCTAssertEqual(try TokenStore().token(), "t0ken")
        }
    }
}
