// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import SwiftASN1

extension PKCS12 {
    /// The number of iterations for each part of a new file.
    ///
    /// Files for programs that read only old formats have as many iterations as those of OpenSSL.
    func usualIterations(_ encryption: ContainerEncryption) -> Int {
        switch encryption {
        case .aes256: WorkBudget.usualIterations(derivations: privateKeys.count + 2)
        case .tripleDES: 2048
        }
    }

    /// The file in DER: the certificates encrypted together, each private key separately, and a MAC of everything.
    ///
    /// Encryption and MAC are those of OpenSSL 3, or the older ones that any program supports. The MAC uses the key
    /// derivation of PKCS #12 (RFC 7292, appendix B) with SHA-256, or with SHA-1.
    ///
    /// - Parameters:
    ///   - password: the password; an empty one is two zero bytes in UTF-16.
    ///   - encryption: the encryption of keys and certificates.
    ///   - iterations: the iterations of each key derivation; `nil` for the default.
    /// - Returns: The file.
    /// - Throws: ``ContainerError`` if the library fails.
    package func encoded(
        password: String,
        encryption: ContainerEncryption = .aes256,
        iterations: Int? = nil
    ) throws(ContainerError) -> [UInt8] {
        let iterations = iterations ?? usualIterations(encryption)
        return try StackMemory.wiped { () throws(ContainerError) in
            var password = Password(password)
            defer { password.wipe() }
            return try encoded(with: password, by: encryption, iterations: iterations)
        }
    }

    private func encoded(
        with password: Password,
        by encryption: ContainerEncryption,
        iterations: Int
    ) throws(ContainerError) -> [UInt8] {
        let scheme = EncryptionScheme(encryption, iterations: iterations)
        let bags = certificates.map(CertificateBag.init)
        let certificateBags = try DERDocument.bytes { try $0.serializeSequenceOf(bags) }
        let certificateSafe = try certificateBags.withUnsafeBytes(lending: { (plain) throws(ContainerError) in
            try scheme.encrypt(plain, password)
        })
        var keys: [ShroudedKey] = []
        for key in privateKeys {
            let encrypted = try EncryptedPrivateKey.encrypted(
                key.privateKeyInfo,
                with: password,
                by: encryption,
                iterations: iterations
            )
            keys.append(ShroudedKey(key: encrypted, names: key.names))
        }
        let keySafe = try DERDocument.bytes { try $0.serializeSequenceOf(keys) }
        let contents = try DERDocument.bytes { serializer in
            try serializer.appendConstructedNode(identifier: .sequence) { safes in
                if !certificates.isEmpty {
                    try safes.serializeContentInfo(.encryptedData) { data in
                        try data.serializeEncryptedData(certificateSafe, scheme)
                    }
                }
                if !keys.isEmpty {
                    try safes.serializeContentInfo(.data) { data in
                        try data.serialize(ASN1OctetString(contentBytes: keySafe[...]))
                    }
                }
            }
        }
        let check = NewIntegrityCheck(of: contents, with: password, by: encryption, iterations: iterations)
        return try DERDocument.bytes { serializer in
            try serializer.appendConstructedNode(identifier: .sequence) { file in
                try file.serialize(3)
                try file.serializeContentInfo(.data) { data in
                    try data.serialize(ASN1OctetString(contentBytes: contents[...]))
                }
                try file.serialize(check)
            }
        }
    }
}

/// A `SafeBag` with an encrypted private key (RFC 7292, section 4.2.2).
private struct ShroudedKey: DERSerializable {
    let key: EncryptedPrivateKeyInfo
    let names: PKCS12.BagNames

    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.serializeBag([1, 2, 840, 113549, 1, 12, 10, 1, 2], names: names) { try $0.serialize(key) }
    }
}

/// A `SafeBag` with a certificate (RFC 7292, section 4.2.3).
private struct CertificateBag: DERSerializable {
    let certificate: PKCS12.Certificate

    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.serializeBag([1, 2, 840, 113549, 1, 12, 10, 1, 3], names: certificate.names) { bag in
            try bag.appendConstructedNode(identifier: .sequence) { contents in
                try contents.serialize([1, 2, 840, 113549, 1, 9, 22, 1] as ASN1ObjectIdentifier)
                try contents.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { value in
                    try value.serialize(ASN1OctetString(contentBytes: certificate.der[...]))
                }
            }
        }
    }
}

/// The `MacData` of a new file (RFC 7292, section 4).
private struct NewIntegrityCheck: DERSerializable {
    private let hash: LegacyHash
    private let code: [UInt8]
    private let salt: [UInt8]
    private let iterations: Int

    init(of contents: [UInt8], with password: Password, by encryption: ContainerEncryption, iterations: Int) {
        switch encryption {
        case .aes256: hash = .sha256
        case .tripleDES: hash = .sha1
        }
        salt = RandomBytes.make(encryption == .aes256 ? 16 : 8)
        self.iterations = iterations
        var key = hash.derive(
            .integrityKey,
            from: password.big,
            salt: salt[...],
            iterations: iterations,
            byteCount: hash.byteCount
        )
        defer { key.wipe() }
        code = hash.authenticationCode(of: contents, key: key)
    }

    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { check in
            try check.appendConstructedNode(identifier: .sequence) { digest in
                try digest.appendConstructedNode(identifier: .sequence) { algorithm in
                    try algorithm.serialize(hash.identifier)
                    algorithm.appendPrimitiveNode(identifier: .null) { _ in }
                }
                try digest.serialize(ASN1OctetString(contentBytes: code[...]))
            }
            try check.serialize(ASN1OctetString(contentBytes: salt[...]))
            try check.serialize(iterations)
        }
    }
}

extension DER.Serializer {
    /// Writes a bag: its type, its value, and the names as attributes.
    fileprivate mutating func serializeBag(
        _ type: ASN1ObjectIdentifier,
        names: PKCS12.BagNames,
        _ value: (inout DER.Serializer) throws -> Void
    ) throws {
        try appendConstructedNode(identifier: .sequence) { bag in
            try bag.serialize(type)
            try bag.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific, value)
            let attributes = names.attributes
            if !attributes.isEmpty { try bag.serializeSetOf(attributes) }
        }
    }

    /// Writes an `EncryptedData` (RFC 5652, section 8).
    fileprivate mutating func serializeEncryptedData(_ bytes: [UInt8], _ scheme: EncryptionScheme) throws {
        try appendConstructedNode(identifier: .sequence) { data in
            try data.serialize(0)
            try data.appendConstructedNode(identifier: .sequence) { contents in
                try contents.serialize(ASN1ObjectIdentifier.data)
                try contents.serialize(scheme)
                contents.appendPrimitiveNode(identifier: .context(0)) { $0.append(contentsOf: bytes) }
            }
        }
    }
}

extension PKCS12.BagNames {
    /// The attributes of RFC 2985 with a name and an identifier.
    fileprivate var attributes: [BagAttribute] {
        var attributes: [BagAttribute] = []
        if let friendlyName {
            let units = friendlyName.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
            attributes.append(BagAttribute(type: [1, 2, 840, 113549, 1, 9, 20], tag: .bmpString, content: units))
        }
        if let localKeyID {
            attributes.append(
                BagAttribute(type: [1, 2, 840, 113549, 1, 9, 21], tag: .octetString, content: localKeyID)
            )
        }
        return attributes
    }
}

/// An attribute of one value.
private struct BagAttribute: DERSerializable {
    let type: ASN1ObjectIdentifier
    let tag: ASN1Identifier
    let content: [UInt8]

    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { attribute in
            try attribute.serialize(type)
            attribute.appendConstructedNode(identifier: .set) { values in
                values.appendPrimitiveNode(identifier: tag) { $0.append(contentsOf: content) }
            }
        }
    }
}

extension [UInt8] {
    /// `withUnsafeBytes(_:)` with typed throws, which the standard library's lacks.
    fileprivate func withUnsafeBytes<Result, Failure: Error>(
        lending body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (bytes) throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}
