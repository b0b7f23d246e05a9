// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// Apple's functions: dictionaries in, objects out, as an application writes them.
struct SecItemSubject: Subject {
    /// The folder that `SWIFT_KEYCHAIN_HOME` names.
    ///
    /// There is one for the process, so stores take turns in it.
    static let homeName = "secitem"

    func add(_ item: Int) throws {
        let item = Item(number: item)
        let attributes: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: item.service, kSecAttrAccount: item.account,
            kSecAttrLabel: item.label, kSecValueData: Data(item.secret),
        ]
        try check(SecItemAdd(attributes as CFDictionary, nil), "SecItemAdd")
    }

    func readByPrimaryKey(_ item: Int) throws {
        let item = Item(number: item)
        try read([
            kSecClass: kSecClassGenericPassword, kSecAttrService: item.service, kSecAttrAccount: item.account,
            kSecReturnData: true,
        ])
    }

    func readByLabel(_ item: Int) throws {
        try read([
            kSecClass: kSecClassGenericPassword, kSecAttrLabel: Item(number: item).label, kSecReturnData: true,
        ])
    }

    func readByAccount(_ item: Int) throws {
        try read([
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: Item(number: item).account, kSecReturnData: true,
        ])
    }

    func update(_ item: Int) throws {
        let item = Item(number: item)
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: item.service, kSecAttrAccount: item.account,
        ]
        let changes: [CFString: Any] = [kSecValueData: Data(item.newSecret)]
        try check(SecItemUpdate(query as CFDictionary, changes as CFDictionary), "SecItemUpdate")
    }

    func delete(_ item: Int) throws {
        let item = Item(number: item)
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: item.service, kSecAttrAccount: item.account,
        ]
        try check(SecItemDelete(query as CFDictionary), "SecItemDelete")
    }

    private func read(_ query: [CFString: Any]) throws {
        var result: CFTypeRef?
        try check(SecItemCopyMatching(query as CFDictionary, &result), "SecItemCopyMatching")
        guard let data = result as? Data, data.count == 32 else {
            throw Failure("SecItemCopyMatching found something else")
        }
    }

    private func check(_ status: OSStatus, _ function: String) throws {
        guard status == errSecSuccess else { throw Failure("\(function): status \(status)") }
    }
}
