// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Security
import Testing

@testable import KeychainServices

/// A program that got an identity, and what it stored before.
struct FormerGroupTests {
    private static let former = "swift-keychain.program.tool-1.0"
    private static let group = "com.example.tool"

    private let keychain: TemporaryKeychain

    init() throws { keychain = try TemporaryKeychain() }

    /// Calls of the program as it was, and as it is.
    private func before<Result>(_ body: () throws -> Result) rethrows -> Result {
        try run(
            KeychainContext(backend: keychain, client: Client(accessGroups: [Self.former, Client.commonGroup])),
            body
        )
    }

    private func after<Result>(_ body: () throws -> Result) rethrows -> Result {
        let moving = FormerGroupKeychain(keychain, from: Self.former, to: Self.group)
        let client = Client(accessGroups: [Self.group, Self.former, Client.commonGroup])
        return try run(KeychainContext(backend: moving, client: client), body)
    }

    /// Calls of the program under another file name.
    private func renamed<Result>(_ body: () throws -> Result) rethrows -> Result {
        let client = Client(accessGroups: [Self.group, "swift-keychain.program.tool-2.0", Client.commonGroup])
        return try run(KeychainContext(backend: keychain, client: client), body)
    }

    private func run<Result>(_ context: KeychainContext, _ body: () throws -> Result) rethrows -> Result {
        try KeychainContext.$current.withValue(context, operation: body)
    }

    private static func item(_ account: String, _ more: [CFString: Any] = [:]) -> CFDictionary {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: account,
        ]
        return item.merging(more) { $1 } as CFDictionary
    }

    private static func secret(_ account: String) -> String? {
        var result: CFTypeRef?
        guard SecItemCopyMatching(item(account, [kSecReturnData: true]), &result) == errSecSuccess else { return nil }
        return (result as? Data).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("a read finds what was stored before, and moves nothing")
    func reads() {
        before { #expect(SecItemAdd(Self.item("a", [kSecValueData: Data("1".utf8)]), nil) == errSecSuccess) }
        after { #expect(Self.secret("a") == "1") }
        before { #expect(Self.secret("a") == "1") }
        renamed { #expect(Self.secret("a") == nil) }
    }

    @Test(
        "the first change moves it, also what is synchronizable, so that the file may have another name afterwards",
        arguments: [false, true]
    )
    func moves(isUpdate: Bool) {
        let synchronizable: [CFString: Any] = [kSecAttrSynchronizable: true]
        before {
            #expect(SecItemAdd(Self.item("a", [kSecValueData: Data("1".utf8)]), nil) == errSecSuccess)
            let item = Self.item("b", synchronizable.merging([kSecValueData: Data("2".utf8)]) { $1 })
            #expect(SecItemAdd(item, nil) == errSecSuccess)
        }
        after {
            if isUpdate {
                let change = [kSecValueData: Data("3".utf8)] as CFDictionary
                #expect(SecItemUpdate(Self.item("a"), change) == errSecSuccess)
            } else {
                // As it is there already, this is no second one.
                #expect(SecItemAdd(Self.item("a", [kSecValueData: Data("3".utf8)]), nil) == errSecDuplicateItem)
            }
        }
        renamed {
            #expect(Self.secret("a") == (isUpdate ? "3" : "1"))
            var result: CFTypeRef?
            let query = Self.item("b", synchronizable.merging([kSecReturnData: true]) { $1 })
            #expect(SecItemCopyMatching(query, &result) == errSecSuccess)
        }
    }

    @Test("an item that is in both groups stays in both, and the others are moved")
    func both() {
        renamed { #expect(SecItemAdd(Self.item("a", [kSecValueData: Data("new".utf8)]), nil) == errSecSuccess) }
        before {
            #expect(SecItemAdd(Self.item("a", [kSecValueData: Data("old".utf8)]), nil) == errSecSuccess)
            #expect(SecItemAdd(Self.item("b", [kSecValueData: Data("1".utf8)]), nil) == errSecSuccess)
        }
        after { #expect(SecItemDelete(Self.item("none")) == errSecItemNotFound) }
        renamed {
            #expect(Self.secret("a") == "new")
            #expect(Self.secret("b") == "1")
        }
        before { #expect(Self.secret("a") == "old") }
    }
}
