// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security

extension Defect {
    private static let attributes = kSecReturnAttributes as String
    private static let data = kSecReturnData as String

    private static func isOfAll(_ query: DefectiveFunctions.Attributes) -> Bool {
        query[kSecMatchLimit as String] as? String == kSecMatchLimitAll as String
    }

    /// Results with a secret that nobody asked for, or without one.
    static let secrets = [
        Defect("all attributes come with the secret", breaks: "the secret only when asked") {
            $0.misread(.copy) { if isOfAll($0), $0[attributes] != nil { $0[data] = true } }
        },
        Defect("all attributes come without the secret", breaks: "attributes and data in one dictionary") {
            $0.misread(.copy) { if isOfAll($0), $0[attributes] != nil { $0[data] = nil } }
        },
        Defect("an add returns the secret", breaks: "the secret only when asked") {
            $0.misreadAdd { if $0[attributes] != nil { $0[data] = true } }
        },
        Defect("an internet password comes with the secret", breaks: "the secret only when asked") {
            $0.misread(.copy) { query in
                let itemClass = query[kSecClass as String] as? String
                if itemClass == kSecClassInternetPassword as String, query[attributes] != nil { query[data] = true }
            }
        },
        Defect(
            "data that is not asked for is asked for",
            breaks: "the secret only when asked",
            "a flag of false is none"
        ) { $0.misread(.copy) { if $0[data] != nil { $0[data] = true } } },
        Defect("attributes that are not asked for are asked for", breaks: "a flag of false is none") {
            $0.misread(.copy) { if $0[attributes] != nil { $0[attributes] = true } }
        },
    ]

    /// What else goes wrong.
    static let others = [
        Defect("an account of bytes is text", breaks: "an account is any bytes") { functions in
            let change: @Sendable (inout DefectiveFunctions.Attributes) -> Void = { query in
                guard let account = query[kSecAttrAccount as String] as? Data,
                    String(data: account, encoding: .utf8) == nil
                else { return }
                query[kSecAttrAccount as String] = String(decoding: account, as: UTF8.self)
            }
            functions.misreadAdd(change)
            functions.misread(.copy, change)
        },
        Defect("a list in the first access group is of another", breaks: "no access group is the default one") {
            $0.misread(.copy) { query in
                let group = kSecAttrAccessGroup as String
                guard isOfAll(query), query[group] as? String == KeychainContract.defaultAccessGroup else { return }
                query[group] = KeychainContract.sharedAccessGroup
            }
        },
        Defect("a copy goes by the beginning of the service", breaks: "whole values match") {
            $0.copyByPrefix(lists: false)
        },
        Defect("a list goes by the beginning of the service", breaks: "a list forgets what was deleted") {
            $0.copyByPrefix(lists: true)
        },
        Defect("what cannot be read is not there", breaks: "a locked item is not absent") { $0.hideLock() },
        Defect("a delete waits for the unlock", breaks: "a delete works while locked") { functions in
            functions.onDelete = { query in
                let isLocked = App.current?.device.lockState != .unlocked
                return isLocked ? errSecInteractionNotAllowed : DefectiveFunctions.real.delete(query)
            }
        },
        Defect("an add while locked is kept", breaks: "an add while locked is refused") {
            $0.onAdd = { attributes in
                let isLocked = App.current?.device.lockState != .unlocked
                let level: [String: Any] = isLocked ? [kSecAttrAccessible as String: "dk"] : [:]
                return DefectiveFunctions.real.add(attributes.merging(level) { $1 })
            }
        },
        Defect("a delete goes by the beginning of the service", breaks: "a delete takes whole names") {
            $0.deleteByPrefix(of: kSecAttrService, suffixes: [".work", "box"])
        },
        Defect("a delete goes by the beginning of the account", breaks: "a delete takes whole names") {
            $0.deleteByPrefix(of: kSecAttrAccount, suffixes: ["lovelace"])
        },
        Defect("a delete compares the secret", breaks: "the secret does not filter") { functions in
            functions.onDelete = { query in
                var copying = query
                guard let secret = copying.removeValue(forKey: kSecValueData as String) as? Data else {
                    return DefectiveFunctions.real.delete(query)
                }
                copying[data] = true
                let found = DefectiveFunctions.real.copyMatching(copying).result as? Data
                return found == secret ? DefectiveFunctions.real.delete(query) : errSecItemNotFound
            }
        },
    ]
}
