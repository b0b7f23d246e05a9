// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainKeys

/// The objects of a PKCS #12 file: keys and certificates that belong together, and what is left.
struct PKCS12Items {
    /// A key with its certificate.
    struct Entry {
        var identity: SecIdentity
        /// The certificate, then those that have issued it.
        var chain: [SecCertificate]
        var names: PKCS12.BagNames
    }

    private(set) var entries: [Entry] = []
    private(set) var otherKeys: [SecKey] = []
    /// Certificates that stand in no chain.
    private(set) var otherCertificates: [SecCertificate] = []
    /// How many keys are of a kind that is not implemented.
    private(set) var unknownKeys = 0

    /// Makes the objects.
    ///
    /// - Throws: `errSecDecode` for a certificate that is none.
    init(_ file: PKCS12) throws(ImportFailure) {
        var certificates: [NamedCertificate] = []
        for one in file.certificates {
            guard let certificate = try? Certificate(der: one.der) else { throw ImportFailure(errSecDecode) }
            certificates.append(NamedCertificate(certificate: certificate, names: one.names))
        }
        let byPublicKey = Dictionary(grouping: certificates) { $0.certificate.publicKeyHash }
        let pool = CertificatePool(certificates.map(\.certificate))
        var inChains: Set<Certificate> = []
        for one in file.privateKeys {
            guard let key = KeyImport.privateKey(privateKeyInfo: one.privateKeyInfo) else {
                unknownKeys += 1
                continue
            }
            let candidates = byPublicKey[key.publicKey.hash, default: []]
            guard let (identity, names) = Self.identity(key, one.names, candidates) else {
                otherKeys.append(key)
                continue
            }
            let chain = pool.chain(from: identity.certificate.certificate) { $1.isSigned(by: $0) }
            inChains.formUnion(chain)
            entries.append(
                Entry(
                    identity: identity,
                    chain: chain.map(SecCertificate.init(_:)),
                    names: PKCS12.BagNames(
                        friendlyName: one.names.friendlyName ?? names.friendlyName,
                        localKeyID: one.names.localKeyID ?? names.localKeyID
                    )
                )
            )
        }
        otherCertificates = certificates.map(\.certificate).filter { !inChains.contains($0) }
            .map(SecCertificate.init(_:))
    }

    private struct NamedCertificate {
        var certificate: Certificate
        var names: PKCS12.BagNames
    }

    /// The identity of a key, and the names of its certificate; one key may have several, and the file can say which is
    /// meant.
    private static func identity(
        _ key: SecKey,
        _ names: PKCS12.BagNames,
        _ candidates: [NamedCertificate]
    ) -> (SecIdentity, PKCS12.BagNames)? {
        let meant = candidates.filter { names.localKeyID != nil && $0.names.localKeyID == names.localKeyID }
        for candidate in meant + candidates {
            if let identity = SecIdentity(SecCertificate(candidate.certificate), key) {
                return (identity, candidate.names)
            }
        }
        return nil
    }
}
