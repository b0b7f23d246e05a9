// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security
import Testing

@Suite("The contract finds a single defect in a store that is right otherwise")
struct PasswordStoreDefectTests {
    /// A defect, and the rules that tell it from a keychain.
    struct Defect: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let broken: [String]
        let plant: @Sendable (DefectiveStore) -> Void

        init(_ name: String, breaks broken: String..., plant: @escaping @Sendable (DefectiveStore) -> Void) {
            testDescription = name
            self.broken = broken
            self.plant = plant
        }

        var store: DefectiveStore {
            let store = DefectiveStore()
            plant(store)
            return store
        }
    }

    private static let defects =
        [
            Defect("a delete takes longer accounts, too", breaks: "delete takes one") {
                $0.deletes = { $1.service == $0.service && $1.account.starts(with: $0.account) }
            },
            Defect("a delete takes longer services, too", breaks: "delete takes one") {
                $0.deletes = { $1.account == $0.account && $1.service.starts(with: $0.service) }
            },
            Defect("a get falls back to a longer account", breaks: "whole names match", "delete takes one") {
                $0.falls = { $1.service == $0.service && $1.account.starts(with: $0.account) }
            },
            Defect("a get falls back to a longer service", breaks: "whole names match", "delete takes one") {
                $0.falls = { $1.account == $0.account && $1.service.starts(with: $0.service) }
            },
            Defect("a list has the accounts of longer services, too", breaks: "the list has each account once") {
                $0.lists = { $1.service.starts(with: $0.service) }
            },
            Defect("a list has the accounts of every service", breaks: "the list has each account once") {
                $0.lists = { _, _ in true }
            },
            Defect("a set over a password is one of the whole service", breaks: "set leaves the others") {
                $0.replaces = { $1.service == $0.service }
            },
            Defect("a set over a password is one of each service", breaks: "set leaves the others") {
                $0.replaces = { $1.account == $0.account }
            },
        ]
        + GluedKey.all.map { key in
            Defect("the key is \(key.name)", breaks: "key without separators") { store in
                store.isSame = { key.glue($0.service, $0.account) == key.glue($1.service, $1.account) }
            }
        }

    @Test("a store with the defect breaks these rules, and no other", arguments: defects)
    func single(_ defect: Defect) async throws {
        let broken = try await KeychainContract.violations(of: defect.store).map(\.rule.name)
        #expect(Set(broken).subtracting(Self.brokenByItself) == Set(defect.broken))
    }

    @Test("without a defect it breaks what Swift's comparison of texts does")
    func none() async throws {
        let broken = try await KeychainContract.violations(of: DefectiveStore()).map(\.rule.name)
        #expect(broken == Self.brokenByItself)
    }

    private static let brokenByItself = ["bytes count, not characters"]
}

/// A list of passwords, with one defect.
final class DefectiveStore: ListingPasswordStoreContractSubject {
    typealias Names = (service: String, account: String)
    typealias Comparison = (_ asked: Names, _ stored: Names) -> Bool

    private var passwords: [(names: Names, password: Data)] = []

    /// Whether names are those of a password.
    var isSame: Comparison = { $0 == $1 }
    /// Whether a delete takes a password of other names, too.
    var deletes: Comparison = { _, _ in false }
    /// Whether a get that finds nothing gives the password of other names.
    var falls: Comparison = { _, _ in false }
    /// Whether a list of a service has the account of other names, too.
    var lists: Comparison = { _, _ in false }
    /// Whether a set in the place of a password replaces that of other names, too.
    var replaces: Comparison = { _, _ in false }

    func set(_ password: Data, service: String, account: String) {
        let asked = (service, account)
        guard passwords.contains(where: { isSame(asked, $0.names) }) else {
            return passwords.append((asked, password))
        }
        for index in passwords.indices
        where isSame(asked, passwords[index].names) || replaces(asked, passwords[index].names) {
            passwords[index].password = password
        }
    }

    func get(service: String, account: String) -> Data? {
        let asked = (service, account)
        let found = passwords.first { isSame(asked, $0.names) } ?? passwords.first { falls(asked, $0.names) }
        return found?.password
    }

    func accounts(service: String) -> [String] {
        passwords.filter { $0.names.service == service || lists((service, ""), $0.names) }.map(\.names.account)
    }

    func delete(service: String, account: String) {
        let asked = (service, account)
        passwords.removeAll { isSame(asked, $0.names) || deletes(asked, $0.names) }
    }
}
