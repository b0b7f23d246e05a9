// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import SwiftASN1

/// The contents of a PKCS #12 file (RFC 7292): private keys and certificates, in their order.
///
/// Only files whose integrity is protected by a password are read. Revocation lists and secrets in them are ignored.
package struct PKCS12: Sendable {
    /// A private key of the file.
    package struct PrivateKey: Sendable {
        /// The `PrivateKeyInfo` (RFC 5958) in DER.
        package var privateKeyInfo: SecretBytes
        /// Whether the key itself is encrypted, not only the part of the file that contains it.
        package var isShrouded: Bool
        /// Its attributes in the file.
        package var names: BagNames

        /// A private key from its parts; in a new file it is encrypted.
        package init(privateKeyInfo: SecretBytes, isShrouded: Bool = true, names: BagNames = BagNames()) {
            self.privateKeyInfo = privateKeyInfo
            self.isShrouded = isShrouded
            self.names = names
        }
    }

    /// A certificate of the file.
    package struct Certificate: Sendable {
        /// The certificate, not parsed.
        package var der: [UInt8]
        /// Its attributes in the file.
        package var names: BagNames

        /// A certificate from its parts.
        package init(der: [UInt8], names: BagNames = BagNames()) {
            self.der = der
            self.names = names
        }
    }

    /// The attributes of a key or a certificate.
    package struct BagNames: Sendable, Hashable {
        /// The friendly name.
        package var friendlyName: String?
        /// The identifier that a key shares with its certificate.
        package var localKeyID: [UInt8]?

        /// Attributes; all are optional.
        package init(friendlyName: String? = nil, localKeyID: [UInt8]? = nil) {
            self.friendlyName = friendlyName
            self.localKeyID = localKeyID
        }
    }

    /// The private keys.
    package var privateKeys: [PrivateKey] = []

    /// The certificates.
    package private(set) var certificates: [Certificate] = []

    /// The contents of a new file.
    package init(privateKeys: [PrivateKey], certificates: [Certificate]) {
        self.privateKeys = privateKeys
        self.certificates = certificates
    }

    /// Reads a file.
    ///
    /// Its integrity is checked before anything in it is decrypted. Algorithms: for the integrity the derivation of
    /// PKCS #12 with SHA-1 and SHA-2, and PBMAC1 (RFC 9579); for encryption PBES2 with PBKDF2 and AES-CBC or
    /// Triple-DES, and the block ciphers of PKCS #12. A key may require two million iterations.
    ///
    /// - Parameters:
    ///   - bytes: the file, in DER or BER.
    ///   - password: the password; an empty one is tried in the two forms that tools use.
    /// - Throws: ``ContainerError``.
    package init(_ bytes: [UInt8], password: String) throws(ContainerError) {
        var budget = WorkBudget()
        try self.init(bytes, password: password, &budget)
    }

    /// The same, within the work budget of a file that contains more documents.
    package init(_ bytes: [UInt8], password: String, _ budget: inout WorkBudget) throws(ContainerError) {
        self = try StackMemory.wiped { () throws(ContainerError) in
            try PKCS12(reading: bytes, password, &budget)
        }
    }

    private init(reading bytes: [UInt8], _ password: String, _ budget: inout WorkBudget) throws(ContainerError) {
        var file = try ContainerFieldReader(parsing: bytes[...], "the file")
        guard try file.integer("version") == 3 else { throw .unsupported("the file has another version than 3") }
        let contents = try Self.data(file.next("contents"))
        guard !file.isAtEnd else { throw .unsupported("the file's integrity is not protected by a password") }
        let check = try IntegrityCheck(file.next("integrity check"))
        try file.end()
        let accepted = try Self.accepted(Password(password), by: check, of: contents, within: &budget)
        var safes = try ContainerFieldReader(parsing: contents, "the contents")
        while !safes.isAtEnd {
            do throws(ContainerError) {
                try read(safe: safes.next("safe"), accepted, &budget)
            } catch {
                // The password is that of the file, so a part that it does not open is damaged.
                throw error.kind == .wrongPassword ? .malformed("a part is encrypted under another password") : error
            }
        }
    }

    private static func accepted(
        _ password: Password,
        by check: IntegrityCheck,
        of contents: ArraySlice<UInt8>,
        within budget: inout WorkBudget
    ) throws(ContainerError) -> Password {
        for variant in password.variants where try check.isAuthentic(contents, with: variant, within: &budget) {
            return variant
        }
        throw .wrongPassword
    }

    /// The octets of a `ContentInfo` of the type data.
    private static func data(_ node: ASN1Node) throws(ContainerError) -> ArraySlice<UInt8> {
        var fields = try ContainerFieldReader(node, "the contents")
        guard try fields.objectIdentifier("type of the contents") == .data else {
            throw .unsupported("the file's integrity is protected by a signature")
        }
        return try fields.tagged(0, "contents").octets(.octetString, "contents")
    }

    private mutating func read(
        safe node: ASN1Node,
        _ password: Password,
        _ budget: inout WorkBudget
    ) throws(ContainerError) {
        var fields = try ContainerFieldReader(node, "a safe")
        let type = try fields.objectIdentifier("type of a safe")
        switch type {
        case .data:
            let contents = try fields.tagged(0, "safe").octets(.octetString, "safe")
            try read(bags: contents, password, &budget)
        case .encryptedData:
            var data = try ContainerFieldReader(fields.tagged(0, "safe"), "an encrypted safe")
            _ = try data.integer("version of a safe")
            var inner = try ContainerFieldReader(data.next("encrypted contents"), "an encrypted safe")
            guard try inner.objectIdentifier("type of a safe") == .data else {
                throw .unsupported("a safe holds something else than data")
            }
            let scheme = try EncryptionScheme(inner.next("encryption algorithm"))
            let encrypted = try inner.next("encrypted contents").octets(.context(0), "encrypted contents")
            var plain = try scheme.decrypt(encrypted, with: password, within: &budget)
            defer { plain.wipe() }
            try read(bags: plain[...], password, &budget)
        default:
            throw .unsupported("a safe is encrypted with a public key")
        }
    }

    private mutating func read(
        bags bytes: ArraySlice<UInt8>,
        _ password: Password,
        _ budget: inout WorkBudget
    ) throws(ContainerError) {
        let bags = try ContainerFieldReader(parsing: bytes, "a safe")
        try read(bags: bags, password, &budget)
    }

    /// Nested safes are nested values, of which the parser permits fifty levels.
    private mutating func read(
        bags: ContainerFieldReader,
        _ password: Password,
        _ budget: inout WorkBudget
    ) throws(ContainerError) {
        var bags = bags
        while !bags.isAtEnd {
            let bag = try SafeBag(bags.next("bag"))
            switch bag.type {
            case .key:
                var bytes = Array(bag.value.encodedBytes)
                defer { bytes.wipe() }
                let key = SecretBytes(bytes)
                privateKeys.append(PrivateKey(privateKeyInfo: key, isShrouded: false, names: bag.names))
            case .encryptedKey:
                let fields = try ContainerFieldReader(bag.value, "an encrypted key")
                let key = try EncryptedPrivateKey.decrypt(fields, with: password, within: &budget)
                privateKeys.append(PrivateKey(privateKeyInfo: key, isShrouded: true, names: bag.names))
            case .certificate:
                guard let der = try bag.certificate() else { continue }
                certificates.append(Certificate(der: der, names: bag.names))
            case .safeContents:
                try read(bags: ContainerFieldReader(bag.value, "a safe"), password, &budget)
            case .other:
                continue
            }
        }
    }
}
