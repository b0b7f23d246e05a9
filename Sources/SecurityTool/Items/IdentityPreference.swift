// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCertificates
import KeychainCore

/// Which identity is to be used for a service: a generic password item without a password.
///
/// Its service is that of the preference, its type `iprf`, and its generic attribute the SHA-256 digest of the
/// certificate.
struct IdentityPreference {
    let service: String

    private static let account = "identity preference"
    private static let type: Int64 = 0x6970_7266

    /// The item of the preference; `nil` without one.
    func item(in stores: [any ItemStore]) throws(KeychainError) -> StoredItem? {
        var conditions = Conditions()
        let schema = ItemSchema.of(.genericPassword)
        conditions.set("type", .number(.integer(Self.type)), schema)
        conditions.set(.service, .string(service), schema)
        for store in stores {
            if let item = try store.items(.genericPassword, conditions).first { return item }
        }
        return nil
    }

    /// The certificate that the preference names; `nil` when there is none of them.
    func certificate(in stores: [any ItemStore]) throws(KeychainError) -> StoredCertificate? {
        guard let item = try item(in: stores) else { return nil }
        let digest = item.bytes("gena")
        return try StoredCertificate.all(in: stores).first { Array(SHA256.hash(data: $0.certificate.der)) == digest }
    }

    /// Chooses an identity, in place of the one before.
    func set(
        _ chosen: StoredCertificate,
        in stores: [any ItemStore],
        _ target: () throws(KeychainError) -> any ItemStore
    ) throws(KeychainError) {
        let digest = PropertyValue.data(SecretBytes(Array(SHA256.hash(data: chosen.certificate.der))))
        if let item = try item(in: stores) {
            return try item.store.update(item, ["gena": digest], nil, RequestedAccess())
        }
        let attributes: [String: PropertyValue] = [
            "acct": .string(Self.account), "svce": .string(service), "labl": .string(service),
            "type": .number(.integer(Self.type)), "gena": digest,
        ]
        try target().add(.genericPassword, attributes, SecretBytes(), RequestedAccess())
    }
}
