// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The key that an application password gives, for items with one header: the output of scrypt (RFC 7914).
///
/// The header of an item lies under the key of its class, so that guessing takes that one first.
package struct PasswordKey: Sendable {
    /// The header of the items.
    package let header: PasswordHeader

    let key: SymmetricKey

    init(header: PasswordHeader, key: SymmetricKey) {
        self.header = header
        self.key = key
    }

    /// The key that a password gives for items with a header; `nil` when the password is wrong.
    ///
    /// Slow by design, as the header says.
    ///
    /// - Throws: ``ProtectionError/noMemory``.
    package init?(_ password: SecretBytes, _ header: PasswordHeader) throws(ProtectionError) {
        guard let key = try header.key(password) else { return nil }
        self.init(header: header, key: key)
    }

    /// The key of a password that an item is given, with a header of its own.
    ///
    /// Slow by design, as `work` says.
    ///
    /// - Throws: ``ProtectionError/noMemory``.
    package init(new password: SecretBytes, _ work: ScryptParameters) throws(ProtectionError) {
        (header, key) = try PasswordHeader.make(password, work)
    }
}
