// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCertificates
import KeychainCore
import KeychainFiles
import KeychainMacFrontEnd

extension IdentityPreference {
    /// The preferences of some keychains, in order.
    private static func items(in stores: [any ItemStore]) throws(KeychainError) -> [StoredItem] {
        var conditions = Conditions()
        for (name, value) in searched { conditions.set(name, to: value, by: ItemSchema.of(.genericPassword)) }
        var items: [StoredItem] = []
        for store in stores { items += try store.items(.genericPassword, conditions) }
        return items
    }

    /// The item of the preference for the exact service; `nil` if there is none.
    func item(in stores: [any ItemStore]) throws(KeychainError) -> StoredItem? {
        try Self.items(in: stores).first { $0[.service] == .string(service) }
    }

    /// The certificate of the preference in effect; `nil` if there is none.
    func certificate(in stores: [any ItemStore]) throws(KeychainError) -> StoredCertificate? {
        let item = inEffect(try Self.items(in: stores)) { item in
            if case .string(let service)? = item[.service] { service } else { nil }
        }
        guard let digest = item?.bytes(Self.digest) else { return nil }
        return try StoredCertificate.all(in: stores).first { Array(SHA256.hash(data: $0.certificate.der)) == digest }
    }

    /// Sets an identity, replacing the previous one.
    func set(
        _ chosen: StoredCertificate,
        in stores: [any ItemStore],
        _ target: () throws(KeychainError) -> any ItemStore
    ) throws(KeychainError) {
        let digest = Array(SHA256.hash(data: chosen.certificate.der))
        if let item = try item(in: stores) {
            let changes = [Self.digest.description: PropertyValue.data(SecretBytes(digest))]
            return try item.store.update(item, attributes: changes, secret: nil, access: RequestedAccess())
        }
        let attributes = attributes(digest: digest).map { ($0.key.description, $0.value) }
        try target().add(
            .genericPassword,
            attributes: Dictionary(uniqueKeysWithValues: attributes),
            secret: SecretBytes(),
            access: RequestedAccess()
        )
    }
}
