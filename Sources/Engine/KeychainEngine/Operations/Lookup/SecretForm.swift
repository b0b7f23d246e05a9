// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// What a keychain file seals for a password: more than its secret, bound to its attributes (Documentation/Format.md,
/// "Keychain files").
///
/// The secret of each ``Item`` here is what is sealed for it, unless stated otherwise.
package protocol SecretForm: Sendable {
    /// The secret that was stored.
    ///
    /// - Throws: `errSecDecode` for what was sealed for other attributes.
    func secret(of item: Item) throws(KeychainError) -> SecretBytes

    /// What is sealed for a new item, which has its bare secret.
    func form(ofNew item: Item) throws(KeychainError) -> SecretBytes

    /// What is sealed for an item with another secret.
    func form(of item: Item, with secret: SecretBytes) throws(KeychainError) -> SecretBytes

    /// What is sealed for an item that got other attributes; it has been compared with the former ones.
    func form(ofChanged item: Item) throws(KeychainError) -> SecretBytes?
}

extension ItemTransaction {
    /// The secret of an item as it was stored.
    func bareSecret(of item: Item) throws(KeychainError) -> SecretBytes {
        guard let secretForm else { return item.secret ?? SecretBytes() }
        return try secretForm.secret(of: item)
    }
}
