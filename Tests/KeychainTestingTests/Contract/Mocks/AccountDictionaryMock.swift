// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security

/// The mock that most test suites begin with: passwords by account, and everything else is passed over.
final class AccountDictionaryMock: SecItemContractSubject {
    private var passwords: [String: Data] = [:]

    func add(_ attributes: [String: Any]) -> SecItemAnswer {
        let account = attributes[kSecAttrAccount as String] as? String ?? ""
        passwords[account] = attributes[kSecValueData as String] as? Data ?? Data()
        return SecItemAnswer(errSecSuccess)
    }

    func copyMatching(_ query: [String: Any]) -> SecItemAnswer {
        let account = query[kSecAttrAccount as String] as? String ?? ""
        guard let password = passwords[account] else { return SecItemAnswer(errSecItemNotFound) }
        return SecItemAnswer(errSecSuccess, password)
    }

    func update(_ query: [String: Any], _ attributes: [String: Any]) -> OSStatus {
        let account = query[kSecAttrAccount as String] as? String ?? ""
        passwords[account] = attributes[kSecValueData as String] as? Data
        return errSecSuccess
    }

    func delete(_ query: [String: Any]) -> OSStatus {
        passwords[query[kSecAttrAccount as String] as? String ?? ""] = nil
        return errSecSuccess
    }
}
