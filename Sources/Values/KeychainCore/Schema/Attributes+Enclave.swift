// SPDX-License-Identifier: Apache-2.0

extension Attributes {
    /// Whether these are the attributes of a key in the Secure Enclave.
    ///
    /// Its row contains the sealed form, which is useless elsewhere: the access control protects the use of the key,
    /// which the enclave enforces, and not reading the row. Only keys have a key class.
    package var areOfEnclaveKey: Bool {
        self[.tokenID] == .string(PropertyKey.tokenSecureEnclave) && self[.keyClass] != nil
    }
}
