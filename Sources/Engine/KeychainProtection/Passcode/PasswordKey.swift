// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The key derived from an application password, for items with one header: the output of scrypt (RFC 7914).
///
/// The header of an item is sealed under the key of its class, so that guessing requires that key first.
package struct PasswordKey: Sendable {
    /// The header of the items.
    package let header: PasswordHeader

    let key: SymmetricKey

    init(header: PasswordHeader, key: SymmetricKey) {
        self.header = header
        self.key = key
    }

    /// The key derived from a password for items with a header; `nil` if the password is wrong.
    ///
    /// Slow by design, as specified by the header.
    ///
    /// - Throws: ``ProtectionError/noMemory``.
    package init?(_ password: SecretBytes, _ header: PasswordHeader) throws(ProtectionError) {
        guard let key = try header.key(password) else { return nil }
        self.init(header: header, key: key)
    }

    /// The key of a new password for an item, with a header of its own.
    ///
    /// Slow by design, depending on `work`.
    ///
    /// - Throws: ``ProtectionError/noMemory``.
    package init(new password: SecretBytes, _ work: ScryptParameters) throws(ProtectionError) {
        (header, key) = try PasswordHeader.make(password, work)
    }
}
