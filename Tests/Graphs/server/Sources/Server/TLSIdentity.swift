// SPDX-License-Identifier: Apache-2.0

import Crypto
import Security
import X509

/// A key and its certificate for `localhost`, as PEM; kept in the keychain between runs.
public struct TLSIdentity: Codable, Equatable, Sendable {
    let privateKey: String
    let certificate: String

    /// A new one.
    public init() throws {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("localhost") }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(key.publicKey),
            notValidBefore: Date(timeIntervalSinceNow: -60),
            notValidAfter: Date(timeIntervalSinceNow: 3600),
            issuer: name,
            subject: name,
            extensions: try .init { SubjectAlternativeNames([.dnsName("localhost")]) },
            issuerPrivateKey: .init(key)
        )
        self.privateKey = key.pemRepresentation
        self.certificate = try certificate.serializeAsPEM().pemString
    }

    /// The one that the keychain has under a service, or a new one.
    public static func kept(service: String) throws -> TLSIdentity {
        var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query.merging([kSecReturnData: true]) { $1 } as CFDictionary, &result)
        if status == errSecItemNotFound {
            let identity = try TLSIdentity()
            query[kSecValueData] = try JSONEncoder().encode(identity)
            try check(SecItemAdd(query as CFDictionary, nil))
            return identity
        }
        try check(status)
        return try JSONDecoder().decode(TLSIdentity.self, from: result as? Data ?? Data())
    }

    private static func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
    }
}
