// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainKeys

/// A cryptographic key: the private or the public half of a pair.
///
/// Two keys are equal when they have the same type, class and bytes, keys of the Secure Enclave when they have the same
/// public key and sealed form.
public final class SecKey: Hashable, Sendable {
    let half: Half

    /// What a key of the Secure Enclave is known by in place of its bytes.
    private let sealedReference: KeyReference?

    /// Where in a file-based keychain the key is; `nil` for a key that is in none.
    let keychainItem: KeychainItemReference?

    enum Half: Sendable {
        case `private`(PrivateKey)
        case `public`(PublicKey)
    }

    /// A private key in this process.
    init(_ key: PrivateKey, in keychainItem: KeychainItemReference? = nil) {
        self.keychainItem = keychainItem
        half = .private(key)
        sealedReference = nil
    }

    /// A public key.
    init(_ key: PublicKey, in keychainItem: KeychainItemReference? = nil) {
        self.keychainItem = keychainItem
        half = .public(key)
        sealedReference = nil
    }

    /// A private key that lives in the Secure Enclave.
    ///
    /// - Parameters:
    ///   - key: its public key, and what the enclave does with it.
    ///   - reference: its attributes and sealed form, as an add stores them.
    init(_ key: PrivateKey, sealed reference: KeyReference) {
        half = .private(key)
        sealedReference = reference
        keychainItem = nil
    }

    /// What an add or a query by reference gets of the key (Semantics, "Attributes of a key").
    var reference: KeyReference {
        if let sealedReference { return sealedReference }
        switch half {
        case .private(let key):
            return KeyReference(
                attributes: KeyAttributes.of(key),
                data: key.externalRepresentation,
                keychainItem: keychainItem
            )
        case .public(let key):
            return KeyReference(
                attributes: KeyAttributes.of(key),
                data: SecretBytes(key.externalRepresentation),
                keychainItem: keychainItem
            )
        }
    }

    /// The public half.
    var publicKey: PublicKey {
        switch half {
        case .private(let key): key.publicKey
        case .public(let key): key
        }
    }

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
