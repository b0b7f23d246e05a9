// SPDX-License-Identifier: Apache-2.0

extension PasswordStoreRule {
    /// What a store says when the device gives nothing out.
    ///
    /// The items may be of any accessibility; so the device is rebooted, after which no password is readable but one
    /// that asks for no protection at all.
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
                // What is readable at any time breaks no rule here.
                let password = try await store.get(service: "mail", account: "ada")
                if password == PasswordStoreBench.secret { throw Readable() }
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
    ]

    private struct Readable: Error {}
}
