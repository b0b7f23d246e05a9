// SPDX-License-Identifier: Apache-2.0

public import KeychainCertificates
public import KeychainCore
public import KeychainKeys

/// The items of a PKCS #12 file: keys and certificates that belong together, and what is left.
public struct PKCS12Items: Sendable {
    /// A key with its certificate.
    public struct Entry: Sendable {
        /// The private key of the first certificate.
        public var key: PrivateKey
        /// The certificate, then those that have issued it.
        public var chain: [Certificate]
        /// What the file says of the key, or else of the certificate.
        public var names: PKCS12.BagNames
    }

    /// The identities.
    public private(set) var entries: [Entry] = []

    /// The keys without a certificate, each with its name for people.
    public private(set) var otherKeys: [(key: PrivateKey, label: String?)] = []

    /// Certificates that stand in no chain.
    public private(set) var otherCertificates: [Certificate] = []

    /// How many keys are of a kind that is not implemented.
    public private(set) var unknownKeys = 0

    /// Puts together what belongs together.
    ///
    /// - Throws: `errSecDecode` for a certificate that is none.
    public init(_ file: PKCS12) throws(KeychainError) {
        var certificates: [NamedCertificate] = []
        for one in file.certificates {
            guard let certificate = try? Certificate(der: one.der) else {
                throw KeychainError(.decode, "the file has something else in the place of a certificate")
            }
            certificates.append(NamedCertificate(certificate: certificate, names: one.names))
        }
        let byPublicKey = Dictionary(grouping: certificates) { $0.certificate.publicKeyHash }
        let pool = CertificatePool(certificates.map(\.certificate))
        var inChains: Set<Certificate> = []
        for one in file.privateKeys {
            guard let key = try? PrivateKey(pkcs8: one.privateKeyInfo) else {
                unknownKeys += 1
                continue
            }
            let candidates = byPublicKey[key.publicKey.hash, default: []]
            guard let own = Self.certificate(of: key, one.names, candidates) else {
                otherKeys.append((key, one.names.friendlyName))
                continue
            }
            let chain = pool.chain(from: own.certificate) { $1.isSigned(by: $0) }
            inChains.formUnion(chain)
            let names = PKCS12.BagNames(
                friendlyName: one.names.friendlyName ?? own.names.friendlyName,
                localKeyID: one.names.localKeyID ?? own.names.localKeyID
            )
            entries.append(Entry(key: key, chain: chain, names: names))
        }
        otherCertificates = certificates.map(\.certificate).filter { !inChains.contains($0) }
    }

    /// All of them: identities, other keys, the certificates of the chains, other certificates; none twice.
    public var items: [ExternalItem] {
        let identities = entries.compactMap { entry in
            entry.chain.first.map { ExternalItem(.identity($0, entry.key), label: entry.names.friendlyName) }
        }
        let keys = otherKeys.map { ExternalItem(.key(.private($0.key)), label: $0.label) }
        var seen = Set(entries.compactMap(\.chain.first))
        let certificates = (entries.flatMap(\.chain) + otherCertificates).filter { seen.insert($0).inserted }
        return identities + keys + certificates.map { ExternalItem(.certificate($0)) }
    }

    private struct NamedCertificate {
        var certificate: Certificate
        var names: PKCS12.BagNames
    }

    /// The certificate of a key; one key may have several, and the file can say which is meant.
    private static func certificate(
        of key: PrivateKey,
        _ names: PKCS12.BagNames,
        _ candidates: [NamedCertificate]
    ) -> NamedCertificate? {
        let meant = candidates.filter { names.localKeyID != nil && $0.names.localKeyID == names.localKeyID }
        return (meant + candidates).first { $0.certificate.publicKeyBits == key.publicKey.externalRepresentation }
    }
}
