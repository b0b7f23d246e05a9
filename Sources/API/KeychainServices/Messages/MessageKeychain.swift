// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainKeys
import KeychainMessages

/// Certificates and identities of the user's keychains that messages name.
struct MessageKeychain: Sendable {
    /// The keychains that are searched; the usual ones for `nil`.
    var searchList: [SecKeychain]?

    /// The certificate with a name; `nil` if the keychains have none, or there are no keychains.
    func certificate(_ name: SignedData.Signer) -> SecCertificate? {
        certificates(conditions(name)).first { $0.certificate.isMeant(by: name) }
    }

    /// The certificates of the authority that has issued another one.
    func issuers(of certificate: Certificate) -> [SecCertificate] {
        certificates([kSecAttrSubject: Data(certificate.normalizedIssuer)])
    }

    /// The private key of a certificate with a name; `nil` if the keychains have none.
    ///
    /// - Throws: An error if the keychains cannot be searched.
    func privateKey(of name: SignedData.Signer) throws(KeychainError) -> PrivateKey? {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query(kSecClassIdentity, conditions(name)), &result)
        guard status != errSecItemNotFound else { return nil }
        guard status == errSecSuccess else {
            throw KeychainError(Status(rawValue: status), "the keychains cannot be searched for the recipient's key")
        }
        let identities = (result as? [SecIdentity] ?? []).filter { $0.certificate.certificate.isMeant(by: name) }
        return identities.lazy.compactMap { if case .private(let key) = $0.privateKey.half { key } else { nil } }.first
    }

    /// Searches for certificates only if there is a keychain: a call that needs none does not make a test fail.
    private func certificates(_ conditions: [CFString: Any]) -> [SecCertificate] {
        TestingKit.$allowsMissingApp.withValue(true) {
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query(kSecClassCertificate, conditions), &result)
            return status == errSecSuccess ? result as? [SecCertificate] ?? [] : []
        }
    }

    private func conditions(_ name: SignedData.Signer) -> [CFString: Any] {
        switch name {
        case .serialNumber(let number, _): [kSecAttrSerialNumber: Data(number)]
        case .subjectKeyIdentifier(let identifier): [kSecAttrSubjectKeyID: Data(identifier)]
        }
    }

    private func query(_ itemClass: CFString, _ conditions: [CFString: Any]) -> CFDictionary {
        var query: [CFString: Any] = [
            kSecClass: itemClass, kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll,
            kSecAttrSynchronizable: kSecAttrSynchronizableAny,
        ]
        query.merge(conditions) { $1 }
        if let searchList { query[kSecMatchSearchList] = NSArray(array: searchList) }
        return query as CFDictionary
    }
}
