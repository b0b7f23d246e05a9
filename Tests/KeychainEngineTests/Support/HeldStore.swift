// SPDX-License-Identifier: Apache-2.0

import KeychainEngine
import KeychainTestSupport
import Testing

/// A keychain with the item `anna`, whose store another connection holds for writing.
struct HeldStore {
    let keychain: EmbeddedKeychain
    private let store: TestStore
    private let holder: RawStore

    init(busyTimeoutMilliseconds: Int32) throws {
        store = try TestStore()
        keychain = store.open(busyTimeoutMilliseconds: busyTimeoutMilliseconds)
        try #require(keychain.add("anna", "secret") == .done)
        holder = try store.raw()
        try holder.execute("BEGIN IMMEDIATE")
    }

    /// Lets go of the store.
    func letGo() throws { try holder.execute("ROLLBACK") }
}
