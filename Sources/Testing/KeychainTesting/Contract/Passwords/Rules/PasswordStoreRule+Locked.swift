// SPDX-License-Identifier: Apache-2.0

extension PasswordStoreRule {
    /// Rules about a store's results while nothing can be read.
    ///
    /// The items may have any accessibility, so the device is rebooted: after that only passwords without any
    /// protection are readable.
    static let whileLocked = [
        PasswordStoreRule(
            "unreadable is not absent",
            "A password that cannot be read before the first unlock is an error, and not nil; after the unlock it is there.",
            otherwise: "a background launch signs its user out",
            source: "Semantics, Items whose keys are unavailable; Apple: errSecInteractionNotAllowed",
            needs: .device
        ) { bench in
            try await bench.set()
            bench.device.reboot()
            let store = bench.store
            try await bench.expectError(of: PasswordStoreBench.call("get"), because: "the device is locked") {
                let password = try await store.get(service: "mail", account: "ada")
                // A password that is always readable breaks no rule here, and proves nothing about others.
                if password == PasswordStoreBench.secret { throw MissingRequirement(requirement: .device) }
                return password
            }
            try bench.device.unlock()
            try await bench.expect(PasswordStoreBench.secret, because: "the password that was stored")
        },
        PasswordStoreRule(
            "a failed set loses nothing",
            "A set that fails while the device is locked leaves the old password where it was.",
            otherwise:
                "a store that deletes and then adds deletes while locked, which works, and adds, which fails: it is gone",
            source: "Semantics, Items whose keys are unavailable",
            needs: .device
        ) { bench in
            try await bench.set()
            bench.device.reboot()
            let isSet: Bool
            do {
                try await bench.store.set(PasswordStoreBench.otherSecret, service: "mail", account: "ada")
                isSet = true
            } catch { isSet = false }
            try bench.device.unlock()
            try await bench.expect(
                isSet ? PasswordStoreBench.otherSecret : PasswordStoreBench.secret,
                because: isSet ? "the new password: the set did not fail" : "the old password: the set failed"
            )
        },
        PasswordStoreRule(
            "an unreadable list is not empty",
            "The list of a service whose passwords cannot be read before the first unlock is an error, and not empty; after the unlock it is there.",
            otherwise: "a background launch finds no accounts, and the app begins as if it were new",
            source: "Semantics, Items whose keys are unavailable; Apple: errSecInteractionNotAllowed",
            needs: .listing,
            .device
        ) { bench in
            guard let store = bench.store as? any ListingPasswordStoreContractSubject else { return }
            for account in ["ada", "bob"] {
                try await bench.set(PasswordStoreBench.secret, service: "mail", account: account)
            }
            bench.device.reboot()
            let accounts = try? await store.accounts(service: "mail")
            // A list that is stored elsewhere, or is always readable, is complete.
            guard accounts.map({ $0.sorted() == ["ada", "bob"] }) ?? true else {
                throw bench.mismatch(
                    "accounts(service: \"mail\")",
                    expected: "an error: the device is locked",
                    got: "\(accounts ?? [])"
                )
            }
            try bench.device.unlock()
            try await bench.expect(["ada", "bob"], store)
        },
    ]
}
