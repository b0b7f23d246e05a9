// SPDX-License-Identifier: Apache-2.0

/// The uses of a key, in the order of `SecKeyOperationType`.
package enum KeyOperation: Sendable, Hashable, CaseIterable {
    /// Making a signature.
    case sign
    /// Checking a signature.
    case verify
    /// Encrypting.
    case encrypt
    /// Decrypting.
    case decrypt
    /// Agreeing on a secret.
    case keyExchange
}
