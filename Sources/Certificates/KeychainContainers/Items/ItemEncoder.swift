// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCertificates
import KeychainCore
import KeychainKeys

/// Encodes items in a file format.
package struct ItemEncoder: Sendable {
    /// The format; ``ExternalFormat/unknown`` for the default.
    package var format: ExternalFormat

    /// Whether a single item, or a file of a format for several, is written as text (RFC 7468); several documents
    /// always are.
    package var isArmored = false

    /// Whether private keys are encrypted in a format that supports both plain and encrypted keys.
    package var wrapsKeys = false

    /// The passphrase for private keys and PKCS #12 files.
    package var passphrase: String?

    /// The encryption of a PKCS #12 file.
    package var encryption = ContainerEncryption.aes256

    /// An encoder of a format.
    package init(_ format: ExternalFormat = .unknown, passphrase: String? = nil) {
        self.format = format
        self.passphrase = passphrase
    }

    /// The file with the items, in their order; the certificate of an identity comes first.
    ///
    /// - Throws: `errSecParam` for no items; `errSecUnsupportedFormat`; `errSecPassphraseRequired`;
    ///   `errSecKeyIsSensitive` for a key that cannot be exported.
    package func file(_ items: [ExternalItem]) throws(KeychainError) -> SecretBytes {
        guard !items.isEmpty else { throw .parameter("there is nothing to export") }
        switch format {
        case .pkcs12: return file(PEMDocument("PKCS12", try pkcs12(items)))
        case .pkcs7: return file(PEMDocument("PKCS7", try pkcs7(items)))
        default: break
        }
        var documents: [PEMDocument] = []
        let iterations = Self.iterations(items)
        for item in items { documents += try self.documents(item, iterations) }
        guard documents.count == 1, !isArmored, format != .pemSequence else {
            return SecretBytes(Array(documents.map(\.text).joined().utf8))
        }
        return documents[0].bytes
    }

    private func file(_ document: PEMDocument) -> SecretBytes {
        isArmored ? SecretBytes(Array(document.text.utf8)) : document.bytes
    }

    /// The number of iterations for each key, so that the file can be read again.
    static func iterations(_ items: [ExternalItem]) -> Int {
        let keys = items.count { item in
            switch item.contents {
            case .key(.private), .identity: true
            case .key(.public), .certificate: false
            }
        }
        return WorkBudget.usualIterations(derivations: keys)
    }

    private func documents(_ item: ExternalItem, _ iterations: Int) throws(KeychainError) -> [PEMDocument] {
        switch item.contents {
        case .certificate(let certificate): [try document(certificate)]
        case .key(.public(let key)): [try document(key)]
        case .key(.private(let key)): [try document(key, iterations)]
        case .identity(let certificate, let key): [try document(certificate), try document(key, iterations)]
        }
    }

    private func document(_ certificate: Certificate) throws(KeychainError) -> PEMDocument {
        switch format {
        case .unknown, .x509Certificate, .pemSequence:
            return PEMDocument("CERTIFICATE", SecretBytes(certificate.der))
        default:
            throw unsupportedFormat
        }
    }

    private func document(_ key: PublicKey) throws(KeychainError) -> PEMDocument {
        switch format {
        case .unknown, .openSSL, .pemSequence:
            return PEMDocument("PUBLIC KEY", SecretBytes(key.subjectPublicKeyInfo))
        default:
            throw unsupportedFormat
        }
    }

    private func document(_ key: PrivateKey, _ iterations: Int) throws(KeychainError) -> PEMDocument {
        switch format {
        case .unknown, .openSSL, .pemSequence:
            guard !wrapsKeys else { return try encrypted(key, iterations) }
            guard let bytes = key.type == .rsa ? key.externalRepresentation : key.sec1 else { throw Self.sensitive }
            return PEMDocument(key.type == .rsa ? "RSA PRIVATE KEY" : "EC PRIVATE KEY", bytes)
        case .wrappedPKCS8:
            return try encrypted(key, iterations)
        default:
            throw unsupportedFormat
        }
    }

    private func encrypted(_ key: PrivateKey, _ iterations: Int) throws(KeychainError) -> PEMDocument {
        guard let privateKeyInfo = key.pkcs8 else { throw Self.sensitive }
        let passphrase = try requiredPassphrase()
        do throws(ContainerError) {
            let encrypted = try EncryptedPrivateKey.encrypt(
                privateKeyInfo,
                password: passphrase,
                iterations: iterations
            )
            return PEMDocument("ENCRYPTED PRIVATE KEY", SecretBytes(encrypted))
        } catch {
            throw KeychainError(writing: error)
        }
    }

    private func pkcs7(_ items: [ExternalItem]) throws(KeychainError) -> SecretBytes {
        var certificates: [[UInt8]] = []
        for item in items {
            guard case .certificate(let certificate) = item.contents else { throw unsupportedFormat }
            certificates.append(certificate.der)
        }
        do throws(ContainerError) {
            return SecretBytes(try SignedData(certificates: certificates).encodedCertificates())
        } catch {
            throw KeychainError(writing: error)
        }
    }

    private func pkcs12(_ items: [ExternalItem]) throws(KeychainError) -> SecretBytes {
        let passphrase = try requiredPassphrase()
        let contents = try container(items)
        do throws(ContainerError) {
            return SecretBytes(try contents.encoded(password: passphrase, encryption: encryption))
        } catch {
            throw KeychainError(writing: error)
        }
    }

    /// The contents of a PKCS #12 file of these items.
    ///
    /// A private key and its certificate share an identifier, the certificate's SHA-1 digest as in OpenSSL, and a name:
    /// the key's label, or else the certificate's. Each certificate occurs once.
    private func container(_ items: [ExternalItem]) throws(KeychainError) -> PKCS12 {
        var keys: [(key: PrivateKey, label: String?)] = []
        var certificates: [Certificate] = []
        var names: [Certificate: PKCS12.BagNames] = [:]
        for item in items.flatMap(\.storedItems) {
            switch item.contents {
            case .key(.private(let key)): keys.append((key, item.label))
            case .certificate(let certificate):
                if names[certificate] == nil { certificates.append(certificate) }
                let label = item.label ?? names[certificate]?.friendlyName
                names[certificate] = PKCS12.BagNames(friendlyName: label)
            case .key(.public), .identity: throw unsupportedFormat
            }
        }
        var privateKeys: [PKCS12.PrivateKey] = []
        for (key, label) in keys {
            guard let privateKeyInfo = key.pkcs8 else { throw Self.sensitive }
            let own = certificates.first { $0.publicKeyBits == key.publicKey.externalRepresentation }
            let common = PKCS12.BagNames(
                friendlyName: label ?? own.flatMap { names[$0]?.friendlyName ?? $0.subjectSummary },
                localKeyID: own.map { Array(Insecure.SHA1.hash(data: $0.der)) }
            )
            if let own { names[own] = common }
            privateKeys.append(PKCS12.PrivateKey(privateKeyInfo: privateKeyInfo, names: common))
        }
        return PKCS12(
            privateKeys: privateKeys,
            certificates: certificates.map { PKCS12.Certificate(der: $0.der, names: names[$0] ?? PKCS12.BagNames()) }
        )
    }

    private func requiredPassphrase() throws(KeychainError) -> String {
        guard let passphrase else {
            throw KeychainError(.passphraseRequired, "the format is encrypted, and there is no passphrase")
        }
        return passphrase
    }

    private var unsupportedFormat: KeychainError {
        KeychainError(.unsupportedFormat, "the format \(format) is not implemented, or does not take such an item")
    }

    private static let sensitive = KeychainError(.keyIsSensitive, "a key does not leave its place")
}
