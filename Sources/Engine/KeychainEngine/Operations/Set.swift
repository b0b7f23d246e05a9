// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// An update, and an add when nothing matches, as one change: what two calls of Apple's functions cannot be.
extension Engine {
    /// Changes every item that matches; adds one if none does.
    ///
    /// Both requests are validated first, as by the two functions. Only `errSecItemNotFound` from the update leads to
    /// the add: a locked, protected or damaged item exists. An update stores no reference, so an existing certificate
    /// must be the one that the add would store.
    func set(
        _ update: ItemRequest,
        orAdd addition: ItemRequest,
        _ authorization: Authorization
    ) throws(KeychainError) {
        guard update.dictionary.identity == nil, addition.dictionary.identity == nil else {
            throw .parameter("an identity is set as a certificate and a key")
        }
        let certificate = addition.dictionary.bringsCertificate
        let update = try checkedUpdate(update, authorization)
        let addition = try authorization.checked(addition)
        let item = newItem(addition, authorization)
        let damaged = try changeItems(for: update.first, authorization) { transaction throws(KeychainError) in
            do throws(KeychainError) {
                return try transaction.apply(update, keeping: certificate ? item.secret : nil)
            } catch {
                guard error.status == .itemNotFound else { throw error }
            }
            _ = try transaction.store(item)
            return nil as DamagedRow?
        }
        if let damaged { throw reportDamage([damaged], authorization) }
    }
}
