// SPDX-License-Identifier: Apache-2.0

extension Attributes {
    /// Whether they are those of a key in the Secure Enclave.
    ///
    /// Its row holds the sealed form, which means nothing elsewhere: the access control guards the use of the key,
    /// which is the enclave's business, and not the reading of the row. Only keys have a key class.
    package var areOfEnclaveKey: Bool {
        self[.tokenID] == .string(PropertyKey.tokenSecureEnclave) && self[.keyClass] != nil
    }
}
