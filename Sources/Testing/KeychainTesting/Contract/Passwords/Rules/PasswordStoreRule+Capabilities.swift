// SPDX-License-Identifier: Apache-2.0

extension PasswordStoreRule {
    /// Rules for stores that can do more than set, get and delete.
    static let capabilities = [
        PasswordStoreRule(
            "add twice is refused",
            "The second add of a password is an error, and the first password stays.",
            otherwise:
                "code that adds where it should replace passes its tests, and keeps the old password on a device",
            source: "Semantics, Adding an item",
            needs: .adding
        ) { bench in
            guard let store = bench.store as? any AddingPasswordStoreContractSubject else { return }
            try await store.add(PasswordStoreBench.secret, service: "mail", account: "ada")
            try await bench.expectError(of: PasswordStoreBench.call("add"), because: "the key is taken") {
                try await store.add(PasswordStoreBench.otherSecret, service: "mail", account: "ada")
                return nil
            }
            try await bench.expect(PasswordStoreBench.secret, because: "the password of the first add")
        },
        PasswordStoreRule(
            "the list has each account once",
            "The list has the accounts of the service, each once, and no others, such as those of a longer name; it is empty where nothing is stored.",
            otherwise: "a screen of accounts shows too many, too few, or an error at the first launch",
            source: "Semantics, Result of a copy",
            needs: .listing
        ) { bench in
            guard let store = bench.store as? any ListingPasswordStoreContractSubject else { return }
            try await bench.expect([], store)
            for account in ["ada", "bob", "ada"] {
                try await bench.set(PasswordStoreBench.secret, service: "mail", account: account)
            }
            for (service, account) in [("chat", "eve"), ("mail.work", "dan"), ("mailbox", "fay"), ("gmail", "gus")] {
                try await bench.set(PasswordStoreBench.secret, service: service, account: account)
            }
            try await bench.expect(["ada", "bob"], store)
        },
        PasswordStoreRule(
            "the list forgets what was deleted",
            "An account whose password was deleted is not in the list any more, and is again after another set.",
            otherwise: "an account that was removed stays on the screen, and opens without a password",
            source: "Semantics, Deleting items",
            needs: .listing
        ) { bench in
            guard let store = bench.store as? any ListingPasswordStoreContractSubject else { return }
            for account in ["ada", "bob"] {
                try await bench.set(PasswordStoreBench.secret, service: "mail", account: account)
            }
            try await bench.delete("mail", "ada")
            try await bench.expect(["bob"], store)
            try await bench.set(PasswordStoreBench.secret, service: "mail", account: "ada")
            try await bench.expect(["ada", "bob"], store)
        },
        PasswordStoreRule(
            "clearing takes a service",
            "Deleting all takes every password for the service, and none for another.",
            otherwise: "a user stays signed in after signing out, or is signed out elsewhere",
            source: "Semantics, Match limit and Deleting items",
            needs: .clearing
        ) { bench in
            guard let store = bench.store as? any ClearingPasswordStoreContractSubject else { return }
            for account in ["ada", "bob"] {
                try await bench.set(PasswordStoreBench.secret, service: "mail", account: account)
            }
            try await bench.set(PasswordStoreBench.secret, service: "chat", account: "ada")
            try await store.deleteAll(service: "mail")
            try await bench.expect(nil, service: "mail", account: "ada", because: "nil: all were deleted")
            try await bench.expect(nil, service: "mail", account: "bob", because: "nil: all were deleted")
            try await bench.expect(
                PasswordStoreBench.secret,
                service: "chat",
                account: "ada",
                because: "the password for the other service"
            )
        },
        PasswordStoreRule(
            "clearing takes whole names",
            "Deleting all of a service leaves the passwords for services that begin as it does, or end so.",
            otherwise: "signing out of one service signs the user out of others, and their passwords are lost",
            source: "Semantics, Conversion and comparison of values and Deleting items",
            needs: .clearing
        ) { bench in
            guard let store = bench.store as? any ClearingPasswordStoreContractSubject else { return }
            let others = ["mail.work", "mailbox", "gmail", "Mail"]
            for service in ["mail"] + others {
                try await bench.set(PasswordStoreBench.secret, service: service, account: "ada")
            }
            try await store.deleteAll(service: "mail")
            try await bench.expect(nil, service: "mail", account: "ada", because: "nil: all were deleted")
            for service in others {
                try await bench.expect(
                    PasswordStoreBench.secret,
                    service: service,
                    account: "ada",
                    because: "the password for \(service)"
                )
            }
        },
        PasswordStoreRule(
            "access groups are apart",
            "One account has a password for each access group.",
            otherwise: "an app and its extension overwrite each other's password on one of both",
            source: "Semantics, Access groups",
            needs: .accessGroups
        ) { bench in
            guard let store = bench.store as? any GroupedPasswordStoreContractSubject else { return }
            let (own, shared) = (KeychainContract.defaultAccessGroup, KeychainContract.sharedAccessGroup)
            try await store.set(PasswordStoreBench.secret, service: "mail", account: "ada", group: own)
            let absent = try await store.get(service: "mail", account: "ada", group: shared)
            guard absent == nil else {
                throw bench.mismatch("get in \(shared)", expected: "nil: the group differs", got: "a password")
            }
            try await store.set(PasswordStoreBench.otherSecret, service: "mail", account: "ada", group: shared)
            let first = try await store.get(service: "mail", account: "ada", group: own)
            guard first == PasswordStoreBench.secret else {
                throw bench.mismatch("get in \(own)", expected: "the password of the group", got: "another, or none")
            }
        },
        PasswordStoreRule(
            "no access group is the default one",
            "A password that is stored without an access group is in the app's default one.",
            otherwise: "what an update stores without a group is not found by code that names the app's own group",
            source: "Semantics, Access groups",
            needs: .accessGroups
        ) { bench in
            guard let store = bench.store as? any GroupedPasswordStoreContractSubject else { return }
            let own = KeychainContract.defaultAccessGroup
            try await bench.set()
            let found = try await store.get(service: "mail", account: "ada", group: own)
            guard found == PasswordStoreBench.secret else {
                let expected = "the password stored without a group"
                throw bench.mismatch("get in \(own)", expected: expected, got: "another, or none")
            }
        },
        PasswordStoreRule(
            "a foreign access group is refused",
            "An access group that the app is not entitled to is an error, to store and to read: never nil.",
            otherwise: "a group that the signature lacks, or that has another team's prefix, shows on a device alone",
            source: "Semantics, Access groups",
            needs: .accessGroups
        ) { bench in
            guard let store = bench.store as? any GroupedPasswordStoreContractSubject else { return }
            let foreign = KeychainContract.foreignAccessGroup
            try await bench.expectError(of: "set in \(foreign)", because: "no entitlement") {
                try await store.set(PasswordStoreBench.secret, service: "mail", account: "ada", group: foreign)
                return nil
            }
            try await bench.expectError(of: "get in \(foreign)", because: "no entitlement") {
                try await store.get(service: "mail", account: "ada", group: foreign)
            }
        },
        PasswordStoreRule(
            "sets at the same time all succeed",
            "Of sets at the same time none fails, and one of their passwords is there afterwards.",
            otherwise: "a race between two refreshes loses the token, or is an unhandled error",
            source: "Semantics, Adding an item and Updating items",
            needs: .concurrency
        ) { try await $0.race() },
    ]
}

extension PasswordStoreBench {
    nonisolated(nonsending) func expect(
        _ accounts: [String],
        _ store: any ListingPasswordStoreContractSubject
    ) async throws {
        let got: [String]
        do { got = try await store.accounts(service: "mail") } catch {
            throw mismatch("accounts(service: \"mail\")", expected: "\(accounts)", got: "an error: \(error)")
        }
        guard got.sorted() != accounts else { return }
        throw mismatch("accounts(service: \"mail\")", expected: "\(accounts)", got: "\(got.sorted())")
    }
}
