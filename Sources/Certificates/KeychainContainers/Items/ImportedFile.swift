// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainKeys

/// The contents of a file: its items and its format.
///
/// The contents determine the format; the caller's expectation and the file's name only resolve ambiguities.
package struct ImportedFile: Sendable {
    /// The items in their order; of a PKCS #12 file identities, other keys, and then the certificates.
    package private(set) var items: [ExternalItem] = []

    /// The format; ``ExternalFormat/pemSequence`` for several documents of PEM.
    package private(set) var format = ExternalFormat.unknown

    /// The type of the items; ``ExternalItemType/aggregate`` for several.
    package private(set) var type = ExternalItemType.unknown

    /// The number of private keys, including those that are not implemented.
    package private(set) var privateKeyCount = 0

    private let passphrase: String?

    /// The remaining work budget of the whole file, for all its documents.
    private var budget: WorkBudget

    /// The same for the search for certificate chains.
    private var chainWork: Int

    /// Whether the PEM marks determined the contents of the file.
    private var isMarked = false

    /// Parses a file in PEM, bare base64, DER or, for PKCS #7 and PKCS #12, BER.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - passphrase: the passphrase of the file; `nil` if there is none, which differs from an empty one.
    /// - Throws: `errSecParam` for an empty file, `errSecUnknownFormat` for an unrecognized format,
    ///   `errSecPassphraseRequired`, `errSecPkcs12VerifyFailure` for a wrong passphrase of a PKCS #12 file,
    ///   `errSecAuthFailed` for that of a key, `errSecUnsupportedFormat`, also for a file whose keys together require
    ///   more work than is permitted.
    package init(_ bytes: SecretBytes, passphrase: String?) throws(KeychainError) {
        try self.init(bytes, passphrase: passphrase, WorkBudget())
    }

    init(
        _ bytes: SecretBytes,
        passphrase: String?,
        _ budget: WorkBudget,
        chainWork: Int = ChainSearch.maximumWork
    ) throws(KeychainError) {
        self.passphrase = passphrase
        self.budget = budget
        self.chainWork = chainWork
        guard bytes.count > 0 else { throw .parameter("the file is empty") }
        if let kind = EncodedKind(bytes.unprotectedCopy) {
            try read(kind, bytes)
            return
        }
        // Text in another encoding is not examined, nor is anything with a byte order mark.
        guard bytes.withUnsafeBytes({ $0.allSatisfy { $0 < 0x80 } }) else { throw Self.unknownFormat }
        guard bytes.withUnsafeBytes({ PEMDocument.isPresent(in: $0) }) else {
            guard let contents = bytes.withUnsafeBytes({ PEMDocument.bareContents(of: $0) }),
                let kind = EncodedKind(contents.unprotectedCopy)
            else { throw Self.unknownFormat }
            try read(kind, contents)
            return
        }
        isMarked = true
        let documents = try Self.documents(bytes)
        // Other documents occur besides keys and certificates, such as the parameters of a curve before its key.
        let known = documents.compactMap { document in
            EncodedKind(label: document.label).map { (kind: $0, bytes: document.bytes) }
        }
        guard !known.isEmpty else {
            throw KeychainError(.unsupportedFormat, "the file has neither keys nor certificates")
        }
        for document in known { try read(document.kind, document.bytes) }
        if known.count > 1 {
            format = .pemSequence
            type = .aggregate
        }
    }

    /// Refuses a format or kind of items that is not the expected one, unless PEM marks or the file name extension
    /// determine it.
    ///
    /// One document is also a sequence; a caller that expects certificates in a file of several items gets all items,
    /// as `security import -t cert` does with identities.
    ///
    /// - Parameters:
    ///   - format: the expected format.
    ///   - type: the expected kind.
    ///   - fileName: a name, or an extension; `nil` for none.
    /// - Throws: `errSecUnknownFormat`
    package func expect(
        _ format: ExternalFormat,
        _ type: ExternalItemType,
        fileName: String? = nil
    ) throws(KeychainError) {
        guard !isMarked, !Self.hasKnownExtension(fileName ?? "") else { return }
        let formats: [ExternalFormat] = [.unknown, .pemSequence, self.format]
        let types: [ExternalItemType] = [.unknown, .aggregate, self.type]
        guard formats.contains(format), types.contains(type) || self.type == .aggregate else {
            throw KeychainError(.unknownFormat, "the file has another format, or other items, than is expected")
        }
    }

    /// Whether a name ends with an extension for one of the formats.
    private static func hasKnownExtension(_ fileName: String) -> Bool {
        let parts = fileName.split(separator: ".", omittingEmptySubsequences: true)
        return parts.last.map { extensions.contains($0.lowercased()) } ?? false
    }

    private static let extensions: Set<String> = [
        "cer", "crt", "der", "p12", "pfx", "p7b", "p7c", "p7r", "p8", "pem",
    ]

    private static let unknownFormat = KeychainError(.unknownFormat, "the file has no format that is known")

    private static func documents(_ bytes: SecretBytes) throws(KeychainError) -> [PEMDocument] {
        do throws(ContainerError) {
            return try bytes.withUnsafeBytes { (bytes) throws(ContainerError) in
                try PEMDocument.documents(in: bytes)
            }
        } catch {
            throw KeychainError(error, wrongPassphrase: .authenticationFailed)
        }
    }

    private mutating func read(_ kind: EncodedKind, _ bytes: SecretBytes) throws(KeychainError) {
        switch kind {
        case .certificate:
            // Anything after it, such as OpenSSL's trust data, is not part of it.
            let certificate = try? Certificate(der: bytes.unprotectedCopy)
            try add(certificate.map { .certificate($0) }, format: .x509Certificate, type: .certificate)
        case .privateKeyInfo:
            try addKey(try? PrivateKey(pkcs8: bytes), .openSSL)
        case .rsaPrivateKey:
            try addKey(try? PrivateKey(externalRepresentation: bytes, .rsa), .openSSL)
        case .ellipticPrivateKey:
            try addKey(try? PrivateKey(sec1: bytes), .openSSL)
        case .encryptedPrivateKeyInfo:
            let decrypted = try decrypt(bytes)
            try addKey(try? PrivateKey(pkcs8: decrypted), .wrappedPKCS8)
        case .publicKeyInfo:
            let key = try? PublicKey(subjectPublicKeyInfo: bytes.unprotectedCopy)
            try add(key.map { .key(.public($0)) }, format: .openSSL, type: .publicKey)
        case .rsaPublicKey:
            let key = try? PublicKey(externalRepresentation: bytes.unprotectedCopy, .rsa)
            try add(key.map { .key(.public($0)) }, format: .openSSL, type: .publicKey)
        case .contentInfo:
            try readPKCS7(bytes)
        case .pkcs12:
            try readPKCS12(bytes)
        }
    }

    private mutating func addKey(_ key: PrivateKey?, _ format: ExternalFormat) throws(KeychainError) {
        try add(key.map { .key(.private($0)) }, format: format, type: .privateKey)
        privateKeyCount += 1
    }

    private mutating func add(
        _ contents: ExternalItem.Contents?,
        format: ExternalFormat,
        type: ExternalItemType
    ) throws(KeychainError) {
        guard let contents else { throw Self.unknownFormat }
        items.append(ExternalItem(contents))
        self.format = format
        self.type = type
    }

    private mutating func decrypt(_ bytes: SecretBytes) throws(KeychainError) -> SecretBytes {
        let passphrase = try requiredPassphrase()
        do throws(ContainerError) {
            return try EncryptedPrivateKey.decrypt(bytes.unprotectedCopy, password: passphrase, &budget)
        } catch {
            throw KeychainError(error, wrongPassphrase: .authenticationFailed)
        }
    }

    private func requiredPassphrase() throws(KeychainError) -> String {
        guard let passphrase else {
            throw KeychainError(.passphraseRequired, "the file is encrypted, and there is no passphrase")
        }
        return passphrase
    }

    private mutating func readPKCS7(_ bytes: SecretBytes) throws(KeychainError) {
        let file: SignedData
        do throws(ContainerError) {
            file = try SignedData(bytes.unprotectedCopy)
        } catch {
            throw KeychainError(error, wrongPassphrase: .authenticationFailed)
        }
        for der in file.certificates {
            guard let certificate = try? Certificate(der: der) else { throw Self.unknownFormat }
            items.append(ExternalItem(.certificate(certificate)))
        }
        format = .pkcs7
        type = .aggregate
    }

    private mutating func readPKCS12(_ bytes: SecretBytes) throws(KeychainError) {
        let passphrase = try requiredPassphrase()
        let file: PKCS12
        do throws(ContainerError) {
            file = try PKCS12(bytes.unprotectedCopy, password: passphrase, &budget)
        } catch {
            throw KeychainError(error, wrongPassphrase: .pkcs12VerifyFailure)
        }
        let contents: PKCS12Items
        do throws(ContainerError) {
            contents = try PKCS12Items(file) { ChainSearch($0, work: chainWork) }
        } catch {
            throw error.kind == .unsupported
                ? KeychainError(error, wrongPassphrase: .pkcs12VerifyFailure)
                : KeychainError(error.status, error.reason)
        }
        chainWork = contents.chainWorkLeft
        guard contents.unknownKeys == 0 || contents.unknownKeys < file.privateKeys.count else {
            throw KeychainError(.unsupportedFormat, "the keys of the file are of a kind that is not implemented")
        }
        items += contents.items
        privateKeyCount += file.privateKeys.count
        format = .pkcs12
        type = .aggregate
    }
}

extension KeychainError {
    /// The result of an import of a file.
    fileprivate init(_ error: ContainerError, wrongPassphrase: Status) {
        let status: Status =
            switch error.kind {
            case .malformed: .unknownFormat
            case .wrongPassword: wrongPassphrase
            case .unsupported: .unsupportedFormat
            }
        self.init(status, error.reason)
    }
}
