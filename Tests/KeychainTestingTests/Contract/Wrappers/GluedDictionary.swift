// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security

/// The in-memory stand-in of the field: one dictionary, whose key is service and account in one string.
final class GluedDictionary: AddingPasswordStoreContractSubject, ClearingPasswordStoreContractSubject {
    private var passwords: [String: String] = [:]

    func set(_ password: Data, service: String, account: String) {
        passwords["\(service).\(account)"] = String(decoding: password, as: UTF8.self)
    }

    func get(service: String, account: String) -> Data? { passwords["\(service).\(account)"]?.data(using: .utf8) }

    func delete(service: String, account: String) { passwords["\(service).\(account)"] = nil }

    func add(_ password: Data, service: String, account: String) { set(password, service: service, account: account) }

    func deleteAll(service: String) { passwords = [:] }
}
