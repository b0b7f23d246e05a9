// SPDX-License-Identifier: Apache-2.0

import Foundation

extension PasswordStoreRule {
    /// Rules about stored and returned values.
    static let values = [
        PasswordStoreRule(
            "absent is nil",
            "A password that was never stored is nil, and no error.",
            otherwise: "the first launch takes a path that no test has taken",
            source: "Semantics, Copying matching items"
        ) { try await $0.expect(nil, because: "nil: nothing was stored") },
        PasswordStoreRule(
            "the password comes back bit by bit",
            "Data of any bytes comes back as it went in, be it no UTF-8, and be it long.",
            otherwise: "a key that is no text is lost",
            source: "Semantics, Attributes of each class, open question 9"
        ) { bench in
            for password in [Data(0...255), Data([0xFF, 0xFE, 0x00]), Data(repeating: 0xC3, count: 100_000)] {
                try await bench.set(password)
                try await bench.expect(password, because: "the \(password.count) bytes that were stored")
            }
        },
        PasswordStoreRule(
            "an empty password is a password",
            "Data of no bytes is stored, and is not nil.",
            otherwise: "an empty password is absent",
            source: "Semantics, Result of a copy"
        ) { bench in
            try await bench.set(Data())
            try await bench.expect(Data(), because: "data of no bytes")
        },
    ]

    /// Names that share a part with those of the bench.
    private static let others = [
        ("mail", "bob"), ("chat", "ada"), ("mail", "adalovelace"), ("mail", "ada@mail"), ("mail", "canada"),
        ("mail.work", "ada"), ("mailbox", "ada"),
    ]

    /// Rules about changes.
    static let changes = [
        PasswordStoreRule(
            "set replaces",
            "A set in the place of a password replaces it.",
            otherwise:
                "a changed password is saved in the test, and the old one stays on a device: an add alone is refused there",
            source: "Semantics, Adding an item and Updating items"
        ) { bench in
            try await bench.set()
            try await bench.set(PasswordStoreBench.otherSecret)
            try await bench.expect(PasswordStoreBench.otherSecret, because: "the password of the second set")
        },
        PasswordStoreRule(
            "set leaves the others",
            "A set in the place of a password changes that of the account and the service, and no other.",
            otherwise: "a changed password is that of every account, and the others are lost",
            source: "Semantics, Updating items"
        ) { bench in
            try await bench.set()
            for (service, account) in others {
                try await bench.set(PasswordStoreBench.otherSecret, service: service, account: account)
            }
            try await bench.set(Data("changed".utf8))
            try await bench.expect(Data("changed".utf8), because: "the password of the second set")
            for (service, account) in others {
                try await bench.expect(
                    PasswordStoreBench.otherSecret,
                    service: service,
                    account: account,
                    because: "the password that was stored for these names"
                )
            }
        },
        PasswordStoreRule(
            "delete takes one",
            "A delete takes the password of the account and the service, and no other, such as that of a longer name.",
            otherwise: "signing one account out signs everybody out",
            source: "Semantics, Deleting items"
        ) { bench in
            try await bench.set()
            for (service, account) in others {
                try await bench.set(PasswordStoreBench.otherSecret, service: service, account: account)
            }
            try await bench.delete()
            try await bench.expect(nil, because: "nil: it was deleted")
            for (service, account) in others {
                try await bench.expect(
                    PasswordStoreBench.otherSecret,
                    service: service,
                    account: account,
                    because: "the password that was not deleted"
                )
            }
        },
        PasswordStoreRule(
            "free again after a delete",
            "After a delete, or one that found nothing, a password can be stored.",
            otherwise: "signing in after signing out fails",
            source: "Semantics, Deleting items"
        ) { bench in
            // Whether deleting nothing is an error is left to the store.
            try? await bench.delete()
            try await bench.set()
            try await bench.delete()
            try await bench.set(PasswordStoreBench.otherSecret)
            try await bench.expect(PasswordStoreBench.otherSecret, because: "the password of the second set")
        },
        PasswordStoreRule(
            "a get changes nothing",
            "A password can be read more than once.",
            otherwise: "the second caller is signed out",
            source: "Semantics, Copying matching items"
        ) { bench in
            try await bench.set()
            for _ in 0..<2 {
                try await bench.expect(PasswordStoreBench.secret, because: "the password that was stored")
            }
        },
    ]
}
