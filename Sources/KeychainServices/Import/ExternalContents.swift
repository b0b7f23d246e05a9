// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainContainers
import KeychainCore

/// What a file for `SecItemImport` holds: objects, and which format it has.
struct ExternalContents {
    private(set) var objects: [AnyObject] = []
    private(set) var format = SecExternalFormat.formatUnknown
    private(set) var type = SecExternalItemType.itemTypeUnknown
    private(set) var privateKeys = 0

    private let passphrase: String?

    /// Reads a file in PEM or DER.
    ///
    /// - Throws: `errSecUnknownFormat` for what is not recognized or not of the format that is expected,
    ///   `errSecPassphraseRequired`, `errSecPkcs12VerifyFailure` or `errSecAuthFailed` for a wrong passphrase,
    ///   `errSecUnsupportedFormat`.
    init(_ data: Data, passphrase: String?) throws(ImportFailure) {
        self.passphrase = passphrase
        guard PEMDocument.isPresent(in: data) else {
            let bytes = data.withUnsafeBytes { SecretBytes(copying: $0) }
            guard let kind = EncodedKind(bytes.unprotectedCopy) else { throw ImportFailure(errSecUnknownFormat) }
            try read(kind, bytes)
            return
        }
        let documents = try Self.documents(data)
        // Other documents occur beside keys and certificates, for example the parameters of a curve before its key.
        let known = documents.compactMap { document in
            EncodedKind(label: document.label).map { (kind: $0, bytes: document.bytes) }
        }
        guard !known.isEmpty else { throw ImportFailure(errSecUnsupportedFormat) }
        for document in known { try read(document.kind, document.bytes) }
        if known.count > 1 {
            format = .formatPEMSequence
            type = .itemTypeAggregate
        }
    }

    private static func documents(_ data: Data) throws(ImportFailure) -> [PEMDocument] {
        do throws(ContainerError) {
            return try PEMDocument.documents(in: data)
        } catch {
            throw ImportFailure(error.kind == .unsupported ? errSecUnsupportedFormat : errSecUnknownFormat)
        }
    }

    private mutating func read(_ kind: EncodedKind, _ bytes: SecretBytes) throws(ImportFailure) {
        switch kind {
        case .certificate:
            let certificate = try? Certificate(der: bytes.unprotectedCopy)
            try take(certificate.map(SecCertificate.init(_:)), .formatX509Cert, .itemTypeCertificate)
        case .privateKeyInfo:
            try take(KeyImport.privateKey(privateKeyInfo: bytes), .formatOpenSSL, .itemTypePrivateKey)
        case .rsaPrivateKey:
            try take(KeyImport.privateKey(rsa: bytes), .formatOpenSSL, .itemTypePrivateKey)
        case .ellipticPrivateKey:
            try take(KeyImport.privateKey(elliptic: bytes), .formatOpenSSL, .itemTypePrivateKey)
        case .encryptedPrivateKeyInfo:
            let decrypted = try decrypt(bytes)
            try take(KeyImport.privateKey(privateKeyInfo: decrypted), .formatWrappedPKCS8, .itemTypePrivateKey)
        case .publicKeyInfo:
            try take(KeyImport.publicKey(subjectPublicKeyInfo: bytes), .formatOpenSSL, .itemTypePublicKey)
        case .rsaPublicKey:
            try take(KeyImport.publicKey(rsa: bytes), .formatOpenSSL, .itemTypePublicKey)
        case .pkcs12:
            try readPKCS12(bytes)
        }
    }

    private mutating func take(
        _ object: AnyObject?,
        _ format: SecExternalFormat,
        _ type: SecExternalItemType
    ) throws(ImportFailure) {
        guard let object else { throw ImportFailure(errSecUnknownFormat) }
        objects.append(object)
        if type == .itemTypePrivateKey { privateKeys += 1 }
        self.format = format
        self.type = type
    }

    private func decrypt(_ bytes: SecretBytes) throws(ImportFailure) -> SecretBytes {
        guard let passphrase else { throw ImportFailure(errSecPassphraseRequired) }
        do throws(ContainerError) {
            return try EncryptedPrivateKey.decrypt(bytes.unprotectedCopy, password: passphrase)
        } catch {
            throw ImportFailure(error.importStatus(wrongPassword: errSecAuthFailed))
        }
    }

    private mutating func readPKCS12(_ bytes: SecretBytes) throws(ImportFailure) {
        guard let passphrase else { throw ImportFailure(errSecPassphraseRequired) }
        let file: PKCS12
        do throws(ContainerError) {
            file = try PKCS12(bytes.unprotectedCopy, password: passphrase)
        } catch {
            throw ImportFailure(error.importStatus(wrongPassword: errSecPkcs12VerifyFailure))
        }
        let items = try PKCS12Items(file)
        guard items.unknownKeys == 0 || items.unknownKeys < file.privateKeys.count else {
            throw ImportFailure(errSecUnsupportedFormat)
        }
        let identities = items.entries.map(\.identity)
        var seen = Set(identities.map(\.certificate))
        let chains = items.entries.flatMap { $0.chain }.filter { seen.insert($0).inserted }
        objects += identities as [AnyObject] + items.otherKeys + chains + items.otherCertificates
        privateKeys += file.privateKeys.count
        format = .formatPKCS12
        type = .itemTypeAggregate
    }
}

extension ContainerError {
    /// The status of the import functions of macOS.
    fileprivate func importStatus(wrongPassword: OSStatus) -> OSStatus {
        switch kind {
        case .malformed: errSecUnknownFormat
        case .wrongPassword: wrongPassword
        case .unsupported: errSecUnsupportedFormat
        }
    }
}
