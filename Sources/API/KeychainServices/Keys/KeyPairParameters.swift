// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainKeys

/// The parameters of a new key pair (Semantics, "Creating keys").
struct KeyPairParameters {
    /// The attributes under which a key is stored: values by key, as the caller gave them.
    typealias Attributes = [AnyHashable: Any]

    /// The attributes under which the private and the public key are stored: from its own dictionary, then the top
    /// level.
    let privateAttributes: Attributes
    let publicAttributes: Attributes

    /// The value of `kSecAttrKeyType`; `nil` for one that is not a string, which names no type here.
    let type: String?
    /// The value of `kSecAttrKeySizeInBits`.
    let sizeInBits: Int?

    /// The value of `kSecAttrTokenID` at the top level, the only place where it is used; empty for a value that names
    /// no token.
    let tokenID: String?

    /// The parameters as the caller gives them.
    init(_ parameters: NSDictionary) {
        var top = Self.entries(parameters)
        type = top.removeValue(forKey: Key.type) as? String
        sizeInBits = top.removeValue(forKey: Key.sizeInBits).flatMap { PropertyValue($0).name }.flatMap { Int($0) }
        tokenID = top[Key.tokenID].map { ($0 as? String) ?? "" }
        let halves = [top.removeValue(forKey: Key.privateKey), top.removeValue(forKey: Key.publicKey)]
        let merged = halves.map { [top] half in
            var own = (half as? NSDictionary).map(Self.entries) ?? [:]
            own[Key.type] = nil
            own[Key.sizeInBits] = nil
            return own.merging(top) { own, _ in own }
        }
        privateAttributes = merged[0]
        // The public half is an ordinary key, wherever a token is named.
        publicAttributes = merged[1].filter { $0.key != AnyHashable(Key.tokenID) }
    }

    /// Rejects storing a key of this process under a token that the private key's own dictionary names.
    ///
    /// - Throws: `errSecItemNotFound` for a token that does not exist; `errSecParam` for the Secure Enclave, which
    ///   could never read the key, and for a value that names no token.
    func checkNestedToken() throws(KeychainError) {
        guard let nested = privateAttributes[Key.tokenID] else { return }
        guard let name = nested as? String, name != EnclaveKeys.tokenID else {
            throw .parameter("a token makes a key only where it is named at the top level")
        }
        throw KeychainError(.itemNotFound, "there is no such token")
    }

    /// Whether the private key is stored: as requested, else only a token's, wherever the token is named.
    var isPrivateKeyPermanent: Bool { Self.isPermanent(privateAttributes) ?? (privateAttributes[Key.tokenID] != nil) }

    /// Whether the public key is stored.
    var isPublicKeyPermanent: Bool { Self.isPermanent(publicAttributes) ?? false }

    private enum Key {
        static let type = "type"
        static let sizeInBits = "bsiz"
        static let privateKey = "private"
        static let publicKey = "public"
        static let tokenID = AttributeName.tokenID.description
    }

    /// Only the Boolean true stores a key; a number, a string and null do not.
    private static func isPermanent(_ attributes: Attributes) -> Bool? {
        attributes["perm"].map { PropertyValue($0) == .boolean(true) }
    }

    private static func entries(_ dictionary: NSDictionary) -> Attributes {
        var entries: Attributes = [:]
        for (key, value) in dictionary {
            if let key = key as? AnyHashable { entries[key] = value }
        }
        return entries
    }
}
