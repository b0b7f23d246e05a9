// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
internal import SwiftASN1

extension Certificate {
    /// The values in the certificate, by the object identifiers of its fields and extensions (Semantics, "Properties of
    /// a certificate").
    ///
    /// - Complexity: The certificate is parsed again.
    package var properties: [String: CertificateProperty] {
        guard let fields = try? PropertyFields(der) else { return [:] }
        var properties = [
            "Fingerprints": CertificateProperty(
                "Fingerprints",
                .section([
                    CertificateProperty("SHA-1", .data(Array(Insecure.SHA1.hash(data: der)))),
                    CertificateProperty("SHA-256", .data(sha256Digest)),
                ])
            )
        ]
        func set(_ name: String, label: String, to value: CertificateProperty.Value) {
            guard let type = Self.fieldTypes[name] else { return }
            properties[type] = CertificateProperty(label, value)
        }
        set("Version", label: "Version", to: .string("\(version)"))
        set("SerialNumber", label: "Serial Number", to: .string(serialNumberText))
        set("SignatureAlgorithmTBS", label: "Signature Algorithm", to: fields.innerAlgorithm)
        set("IssuerName", label: "Issuer Name", to: NameProperties.value(issuer.der))
        set("ValidityNotBefore", label: "Not Valid Before", to: .number(validity.notBefore.secondsSinceReferenceDate))
        set("ValidityNotAfter", label: "Not Valid After", to: .number(validity.notAfter.secondsSinceReferenceDate))
        set("SubjectName", label: "Subject Name", to: NameProperties.value(subject.der))
        set("SubjectPublicKeyAlgorithm", label: "Public Key Algorithm", to: fields.keyAlgorithm)
        set("SubjectPublicKey", label: "Public Key Data", to: .data(publicKeyBits))
        set("SignatureAlgorithm", label: "Signature Algorithm", to: fields.algorithm)
        set("Signature", label: "Signature", to: .data(fields.signature))
        for (name, bits) in [
            ("IssuerUniqueId", fields.issuerIdentifier), ("SubjectUniqueId", fields.subjectIdentifier),
        ] {
            if let bits { set("Certificate\(name)", label: name, to: .data(bits)) }
        }
        // Programs look up the date of expiry under this identifier.
        properties[Self.expiry] = CertificateProperty("Not Valid After", .date(validity.notAfter))
        for one in fields.extensions {
            properties["\(one.type)"] = CertificateProperty("\(one.type)", ExtensionProperties.value(one))
        }
        return properties
    }

    /// The serial number in human-readable form: decimal if it has 64 bits or fewer, else its octets in hexadecimal.
    package var serialNumberText: String {
        let octets = serialNumber.drop { $0 == 0 }
        guard serialNumber.first.map({ $0 < 0x80 }) ?? false, octets.count <= 8 else {
            return serialNumber.map { octet in
                let digits = String(octet, radix: 16, uppercase: true)
                return digits.count == 1 ? "0\(digits)" : digits
            }.joined(separator: " ")
        }
        return String(octets.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// SHA-256 of the encoding, 32 bytes.
    package var sha256Digest: [UInt8] { Array(SHA256.hash(data: der)) }

    /// The subject and the issuer, each with all of its attributes that are text.
    package var longDescription: String {
        let names = [subject, issuer].map { $0.attributes.compactMap(\.text).filter { !$0.isEmpty } }
        return names.map { $0.joined(separator: ", ") }.filter { !$0.isEmpty }.joined(separator: "; issued by ")
    }

    /// The field types by the ends of their names.
    private static let fieldTypes = Dictionary(
        uniqueKeysWithValues: CertificateConstantTable.rows(in: .certificateField).compactMap { row in
            row.name.hasPrefix(prefix) ? (String(row.name.dropFirst(prefix.count)), row.value) : nil
        }
    )

    private static let prefix = "kSecOIDX509V1"

    private static let expiry = "2.5.29.24"
}
