// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// `SecItemAdd` of an identity: the certificate and then the key, or neither (Semantics, "Identities").
extension Engine {
    /// Adds those halves of an identity that are not stored yet.
    ///
    /// - Returns: The persistent reference, if only that was requested and the certificate was not stored before;
    ///   nothing else can be returned.
    func addIdentity(
        _ identity: IdentityReference,
        for request: ItemRequest,
        under authorization: Authorization
    ) throws(KeychainError) -> KeychainAnswer {
        let certificate = try authorization.checked(request.narrowed(to: .certificate(identity.certificate)))
        let certificateItem = newItem(certificate, authorization)
        let key = try authorization.checked(request.narrowed(to: .key(identity.key)))
        let keyItem = newItem(key, authorization)
        let added = try changeItems(for: key, authorization) { (transaction) throws(KeychainError) in
            let addedCertificate = try transaction.storeUnlessDuplicate(certificateItem)
            let addedKey = try transaction.storeUnlessDuplicate(keyItem)
            guard addedCertificate != nil || addedKey != nil else {
                throw KeychainError(.duplicateItem, "the certificate and the key of the identity exist")
            }
            return addedCertificate
        }
        guard let added, certificate.query.returns == .persistentReference else { return .nothing }
        return .single(.data(added.persistentReference(of: .identity)))
    }
}

extension ItemWriteTransaction {
    /// - Returns: The identifier under which the item was stored; `nil` when it is a duplicate.
    fileprivate func storeUnlessDuplicate(_ item: Item) throws(KeychainError) -> ItemIdentifier? {
        do throws(KeychainError) {
            return try store(item).identifier
        } catch {
            guard error.status == .duplicateItem else { throw error }
            return nil
        }
    }
}
