// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

/// The parameters of a new key pair (specification, section 8.1).
struct KeyPairParameters {
    /// The attributes that the private and the public key are stored with: the dictionary of its own, then the top level.
    let privateAttributes: [String: Any]
    let publicAttributes: [String: Any]

    /// The value of `kSecAttrKeyType`, as a string.
    let type: String?
    /// The value of `kSecAttrKeySizeInBits`.
    let sizeInBits: Int?

    /// The parameters as the caller gives them; what has no string for a key is passed over.
    init(_ parameters: NSDictionary) {
        var top = Self.entries(parameters)
        type = Self.take(.type, &top).flatMap { PropertyValue($0).name }
        sizeInBits = Self.take(.sizeInBits, &top).flatMap { PropertyValue($0).name }.flatMap { Int($0) }
        let halves = [Self.take(.privateKey, &top), Self.take(.publicKey, &top)]
        let merged = halves.map { half in
            var own = (half as? NSDictionary).map(Self.entries) ?? [:]
            _ = (Self.take(.type, &own), Self.take(.sizeInBits, &own))
            return own.merging(top) { own, _ in own }
        }
        privateAttributes = merged[0]
        // The public half is an ordinary key, wherever a token is named.
        publicAttributes = merged[1].filter { $0.key != AttributeName.tokenID.description }
    }

    /// The value of `kSecAttrTokenID` for the private key; empty for a value that names no token.
    var tokenID: String? {
        privateAttributes[AttributeName.tokenID.description].map { ($0 as? String) ?? "" }
    }

    /// Whether the private key is stored: as it says, else only a token's.
    var isPrivateKeyPermanent: Bool { Self.isPermanent(privateAttributes) ?? (tokenID != nil) }

    /// Whether the public key is stored.
    var isPublicKeyPermanent: Bool { Self.isPermanent(publicAttributes) ?? false }

    private enum Key: String {
        case type = "type"
        case sizeInBits = "bsiz"
        case privateKey = "private"
        case publicKey = "public"
    }

    private static func take(_ key: Key, _ entries: inout [String: Any]) -> Any? {
        entries.removeValue(forKey: key.rawValue)
    }

    private static func isPermanent(_ attributes: [String: Any]) -> Bool? {
        (attributes["perm"] as? NSNumber)?.boolValue
    }

    private static func entries(_ dictionary: NSDictionary) -> [String: Any] {
        var entries: [String: Any] = [:]
        for (key, value) in dictionary {
            if let name = key as? String, !(value is NSNull) { entries[name] = value }
        }
        return entries
    }
}
