// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A certificate and the private key of its public key, which may be in another keychain.
struct StoredIdentity {
    let certificate: StoredItem
    let key: StoredItem

    /// The identities of several keychains, in the order of their certificates.
    static func all(in stores: [any ItemStore]) throws(KeychainError) -> [StoredIdentity] {
        var keys: [[UInt8]: StoredItem] = [:]
        var certificates: [StoredItem] = []
        for store in stores {
            for key in try store.items(.key) where KeyKind(key) == .private {
                let hash = key.bytes(.applicationLabel)
                if keys[hash] == nil { keys[hash] = key }
            }
            certificates += try store.items(.certificate)
        }
        return certificates.compactMap { certificate in
            keys[certificate.bytes(.publicKeyHash)].map { StoredIdentity(certificate: certificate, key: $0) }
        }
    }
}

/// Whether a key is the public or private half of a pair, or neither.
enum KeyKind: String {
    case symmetric
    case `public`
    case `private`

    /// The kind of a stored key, by its `kcls`.
    init(_ key: StoredItem) {
        switch key[.keyClass] {
        case .number(.integer(1))?: self = .private
        case .number(.integer(2))?: self = .symmetric
        default: self = .public
        }
    }
}
