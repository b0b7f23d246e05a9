// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainKeys
import KeychainMacFrontEnd

/// A cryptographic key: the private or the public half of a pair.
///
/// Two keys are equal when they have the same type, class and bytes, keys of the Secure Enclave when they have the same
/// public key and sealed form.
public final class SecKey: Hashable, Sendable {
    let half: KeyHalf

    /// The reference of a Secure Enclave key, in place of its bytes.
    private let sealedReference: KeyReference?

    /// The key's place in a file-based keychain; `nil` if it is in none.
    let keychainItem: KeychainItemReference?

    /// A key in this process.
    init(_ half: KeyHalf, in keychainItem: KeychainItemReference? = nil) {
        self.half = half
        self.keychainItem = keychainItem
        sealedReference = nil
    }

    /// A private key in this process.
    convenience init(_ key: PrivateKey) { self.init(.private(key)) }

    /// A public key.
    convenience init(_ key: PublicKey) { self.init(.public(key)) }

    /// Creates a private key that is in the Secure Enclave.
    ///
    /// - Parameters:
    ///   - key: its public key, and the enclave's operations on it.
    ///   - reference: its attributes and sealed form, as an add stores them.
    init(_ key: PrivateKey, sealed reference: KeyReference) {
        half = .private(key)
        sealedReference = reference
        keychainItem = nil
    }

    /// The key as a reference for an add or a query (Semantics, "Attributes of a key").
    var reference: KeyReference {
        if let sealedReference { return sealedReference }
        var reference = half.reference
        reference.keychainItem = keychainItem
        if reference.data == nil, let keychainItem {
            // Of a key that was found in a locked keychain, which may be unlocked now.
            let key = Self.deferred(publicKey, in: keychainItem, asks: false)
            reference.data = try? key.loaded().externalRepresentation
        }
        return reference
    }

    /// The public half.
    var publicKey: PublicKey { half.publicKey }

    /// Whether both are the same key.
    public static func == (left: SecKey, right: SecKey) -> Bool {
        guard left !== right else { return true }
        switch (left.half, right.half) {
        case (.private(let first), .private(let second)):
            // The bytes of a private key in this process follow from its public key.
            return first.publicKey == second.publicKey && left.sealedReference?.data == right.sealedReference?.data
        case (.public(let first), .public(let second)): return first == second
        case (.private, .public), (.public, .private): return false
        }
    }

    /// Feeds the public half.
    public func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
}
