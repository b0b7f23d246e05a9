// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainFiles
import KeychainMacFrontEnd

/// Certificates in keychains, for the trust commands.
enum CertificateKeychains {
    /// Stores a certificate in a keychain, unless it exists already.
    ///
    /// The system keychain, which scripts name, does not exist on Linux: the administrator's trust settings then store
    /// the certificate.
    ///
    /// - Throws: ``CommandFailure`` with 1
    static func add(
        _ certificate: Certificate,
        to keychain: Word,
        _ keychains: Keychains
    ) throws(CommandFailure) {
        try failing("SecCertificateAddToKeychain") { () throws(KeychainError) in
            do throws(KeychainError) {
                let item = ExternalItem(.certificate(certificate))
                let new = NewItem(item: item, isExtractable: true, access: RequestedAccess())
                try keychains.target(keychain).add(new)
            } catch {
                let isSystems = keychain == KeychainHome.systemKeychain && error.status == .noSuchKeychain
                guard error.status == .duplicateItem || isSystems else { throw error }
            }
        }
    }

    /// The certificates of keychains.
    ///
    /// - Throws: ``CommandFailure`` with 1
    static func certificates(in names: [Word], _ keychains: Keychains) throws(CommandFailure) -> [Certificate] {
        guard !names.isEmpty else { return [] }
        return try failing(PasswordSearch.searching) { () throws(KeychainError) in
            try StoredCertificate.all(in: keychains.searched(by: names)).map(\.certificate)
        }
    }
}
