// SPDX-License-Identifier: Apache-2.0

extension PasswordStoreRule {
    /// Rules about what distinguishes two passwords.
    static let keys = [
        PasswordStoreRule(
            "accounts are apart",
            "Two accounts of a service have a password each.",
            otherwise: "a second user who signs in replaces the first one's password",
            source: "Semantics, Attributes of each class"
        ) { bench in
            try await bench.set(account: "ada")
            try await bench.set(PasswordStoreBench.otherSecret, service: "mail", account: "bob")
            try await bench.expect(PasswordStoreBench.secret, because: "the password of this account")
        },
        PasswordStoreRule(
            "services are apart",
            "One account has a password for each service.",
            otherwise: "two features that use one account name overwrite each other on one of test and device",
            source: "Semantics, Attributes of each class"
        ) { bench in
            try await bench.set(service: "mail")
            try await bench.set(PasswordStoreBench.otherSecret, service: "chat", account: "ada")
            try await bench.expect(PasswordStoreBench.secret, because: "the password for this service")
        },
        PasswordStoreRule(
            "key without separators",
            "Service and account are compared one by one: service ab with account c is not service a with account bc.",
            otherwise: "a key that is glued together lets two passwords meet that have nothing in common",
            source: "Semantics, Attributes of each class"
        ) { bench in
            for (one, other) in NamePair.thatMeetWhenGlued {
                try await bench.set(PasswordStoreBench.secret, service: one.service, account: one.account)
                try await bench.set(PasswordStoreBench.otherSecret, service: other.service, account: other.account)
                try await bench.expect(
                    PasswordStoreBench.secret,
                    service: one.service,
                    account: one.account,
                    because: "the password that was stored for this pair"
                )
            }
        },
        PasswordStoreRule(
            "whole names match",
            "A password is found by its whole service and account, neither by their beginning nor by a part.",
            otherwise: "a user who never signed in gets the password of one with a longer name",
            source: "Semantics, Conversion and comparison of values"
        ) { bench in
            try await bench.set(account: "adalovelace")
            try await bench.set(service: "mailbox")
            for (service, account) in [("mail", "ada"), ("mail", "lace"), ("box", "ada"), ("mail", "")] {
                try await bench.expect(
                    nil,
                    service: service,
                    account: account,
                    because: "nil: only longer names have a password"
                )
            }
        },
        PasswordStoreRule(
            "case counts",
            "Accounts and services are compared with their case.",
            otherwise: "a login that a test finds is not found on a device",
            source: "Semantics, Conversion and comparison of values"
        ) { bench in
            try await bench.set()
            try await bench.expect(nil, service: "mail", account: "Ada", because: "nil: the account differs")
            try await bench.expect(nil, service: "Mail", account: "ada", because: "nil: the service differs")
        },
        PasswordStoreRule(
            "bytes count, not characters",
            "Accounts are compared by their UTF-8 bytes: an é of one code point is not an é of two, though Swift calls them equal.",
            otherwise: "an account that was typed on another keyboard is found in the test, and not on a device",
            source: "Semantics, Conversion and comparison of values"
        ) { bench in
            try await bench.set(account: "caf\u{E9}")
            try await bench.expect(nil, service: "mail", account: "cafe\u{301}", because: "nil: the bytes differ")
        },
        PasswordStoreRule(
            "empty names are names",
            "An empty service and an empty account are a key like any other.",
            otherwise: "a password for no account is lost on one of both",
            source: "Semantics, Attributes of each class"
        ) { bench in
            try await bench.set(PasswordStoreBench.secret, service: "", account: "")
            try await bench.set(PasswordStoreBench.otherSecret, service: "", account: "ada")
            try await bench.expect(
                PasswordStoreBench.secret,
                service: "",
                account: "",
                because: "the password of the empty names"
            )
        },
    ]
}

extension PasswordStoreBench {
    fileprivate nonisolated(nonsending) func set(account: String) async throws {
        try await set(Self.secret, service: "mail", account: account)
    }

    fileprivate nonisolated(nonsending) func set(service: String) async throws {
        try await set(Self.secret, service: service, account: "ada")
    }
}
