// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A key that makes bytes, and is made of them, to be kept in a generic password.
///
/// The private keys of CryptoKit conform, and `SymmetricKey`. Keys of the Secure Enclave conform where CryptoKit has it: their bytes
/// are the key, sealed by the device.
public protocol StorableKey {
    /// Makes the key of its bytes.
    ///
    /// - Throws: An error when they are no such key.
    init(keychainRepresentation bytes: Data) throws

    /// The bytes.
    var keychainRepresentation: Data { get }
}
