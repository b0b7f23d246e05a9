// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainKeys

/// The items of a PKCS #12 file: keys with their certificates, and the others.
package struct PKCS12Items: Sendable {
    /// A key with its certificate.
    package struct Entry: Sendable {
        /// The private key of the first certificate.
        package var key: PrivateKey
        /// The certificate, then its issuers.
        package var chain: [Certificate]
        /// The attributes of the key in the file, or else of the certificate.
        package var names: PKCS12.BagNames
    }

    /// The identities.
    package private(set) var entries: [Entry] = []

    /// The keys without a certificate, each with its friendly name.
    package private(set) var otherKeys: [(key: PrivateKey, label: String?)] = []

    /// The certificates that are in no chain.
    package private(set) var otherCertificates: [Certificate] = []

    /// The number of keys of a kind that is not implemented.
    package private(set) var unknownKeys = 0

    /// Matches keys with their certificates.
    ///
    /// - Throws: `errSecDecode` for an invalid certificate, and for a file with so many certificates of one name that
    ///   it would take too long to determine their issuers.
    package init(_ file: PKCS12) throws(KeychainError) {
        do throws(ContainerError) { try self.init(file) { ChainSearch($0) } } catch {
            throw KeychainError(error.status, error.reason)
        }
    }

    /// The same with another search for chains, which `search` creates from the certificates.
    init(_ file: PKCS12, _ search: ([Certificate]) -> ChainSearch) throws(ContainerError) {
        var certificates: [NamedCertificate] = []
        for one in file.certificates {
            guard let certificate = try? Certificate(der: one.der) else {
                throw .malformed("the file has something else in the place of a certificate")
            }
            certificates.append(
                NamedCertificate(certificate: certificate, names: one.names, position: certificates.count)
            )
        }
        let byPublicKey = Dictionary(grouping: certificates, by: \.certificate.publicKeyBits).mapValues(Candidates.init)
        var search = search(certificates.map(\.certificate))
        // By the positions of their first certificates; any number of keys may share one.
        var chains: [Int: [Certificate]] = [:]
        var order: [[Certificate]] = []
        for one in file.privateKeys {
            guard let key = try? PrivateKey(pkcs8: one.privateKeyInfo) else {
                unknownKeys += 1
                continue
            }
            guard let own = byPublicKey[key.publicKey.externalRepresentation]?.certificate(for: one.names) else {
                otherKeys.append((key, one.names.friendlyName))
                continue
            }
            let chain: [Certificate]
            if let known = chains[own.position] {
                chain = known
            } else {
                chain = try search.chain(from: own.certificate)
                chains[own.position] = chain
                order.append(chain)
            }
            let names = PKCS12.BagNames(
                friendlyName: one.names.friendlyName ?? own.names.friendlyName,
                localKeyID: one.names.localKeyID ?? own.names.localKeyID
            )
            entries.append(Entry(key: key, chain: chain, names: names))
        }
        chainWorkLeft = search.left
        let inChains = Set(order.joined())
        otherCertificates = certificates.map(\.certificate).filter { !inChains.contains($0) }
        var seen = Set(order.compactMap(\.first))
        loneCertificates = (order.joined() + otherCertificates).filter { seen.insert($0).inserted }
    }

    /// The work that the search for chains left.
    let chainWorkLeft: Int

    /// The certificates of chains that belong to no key, and the others, without duplicates.
    private let loneCertificates: [Certificate]

    /// All items: identities, other keys, the certificates of the chains, other certificates, without duplicates.
    package var items: [ExternalItem] {
        let identities = entries.compactMap { entry in
            entry.chain.first.map { ExternalItem(.identity($0, entry.key), label: entry.names.friendlyName) }
        }
        let keys = otherKeys.map { ExternalItem(.key(.private($0.key)), label: $0.label) }
        return identities + keys + loneCertificates.map { ExternalItem(.certificate($0)) }
    }

    private struct NamedCertificate {
        var certificate: Certificate
        var names: PKCS12.BagNames
        var position: Int
    }

    /// The certificates of one key; if there are several, the file can specify one.
    private struct Candidates {
        private let first: NamedCertificate?
        private let byIdentifier: [[UInt8]: NamedCertificate]

        init(_ certificates: [NamedCertificate]) {
            first = certificates.first
            let named = certificates.compactMap { one in one.names.localKeyID.map { ($0, one) } }
            byIdentifier = Dictionary(named) { first, _ in first }
        }

        func certificate(for names: PKCS12.BagNames) -> NamedCertificate? {
            names.localKeyID.flatMap { byIdentifier[$0] } ?? first
        }
    }
}
