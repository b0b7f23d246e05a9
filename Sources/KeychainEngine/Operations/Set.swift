// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// An update, and an add when nothing matches, as one change: what two calls of Apple's functions cannot be.
extension Engine {
    /// Changes every item that matches; adds one when none does.
    ///
    /// Both dictionaries are checked first, as the two functions check them. Nothing but `errSecItemNotFound` of the update leads
    /// to the add: an item that is locked, guarded or damaged is there. An update brings no reference, so a certificate that is there
    /// has to be the one that the add would store.
    func set(
        _ dictionary: PropertyDictionary,
        _ attributes: PropertyDictionary,
        orAdd additional: PropertyDictionary,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) {
        guard dictionary.identity == nil, additional.identity == nil else {
            throw .parameter("an identity is set as a certificate and a key")
        }
        let amendments = try amendments(dictionary, attributes, for: client, authorization)
        var addition = try addition(additional, for: client, authorization)
        let certificate = additional.bringsCertificate ? addition.item.secret : nil
        let damaged = try write { (writer) throws(KeychainError) -> DamagedRow? in
            let tags = device.searchTags()
            do throws(KeychainError) {
                return try apply(amendments, keeping: certificate, tags, authorization, writer)
            } catch {
                guard error.status == .itemNotFound else { throw error }
            }
            try store(&addition.item, tags, authorization, writer)
            return nil
        }
        if let damaged { throw reportDamage([damaged]) }
    }
}
