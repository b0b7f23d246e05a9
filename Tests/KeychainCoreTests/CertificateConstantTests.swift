// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

/// Strings of certificates that follow from no standard, or that Apple wrote otherwise: as programs publish them that
/// list them.
struct CertificateConstantTests {
    private static let fields = "2.16.840.1.113741.2.1.1.1"

    @Test(
        "a field of a certificate has the string that is published",
        arguments: [
            ("X509V3CertificateExtensionId", "15"), ("X509V3CertificateExtensionCritical", "16"),
            ("X509V3CertificateExtensionValue", "17"), ("X509V1SubjectPublicKeyAlgorithmParameters", "18"),
            ("X509V3CertificateExtensionType", "19"), ("CSSMKeyStruct", "20"),
            ("X509V1SubjectPublicKeyCStruct", "20.1"), ("X509V3CertificateExtensionsStruct", "21"),
            ("X509V3CertificateExtensionsCStruct", "21.1"), ("X509V1SubjectNameStd", "22"),
            ("X509V1IssuerNameStd", "23"), ("SubjectSignatureBitmap", "50.1"), ("SubjectPicture", "50.2"),
            ("SubjectEmailAddress", "50.3"), ("UseExemptions", "50.4"),
        ]
    )
    func field(_ name: String, _ number: String) {
        let rows = CertificateConstantTable.rows(in: .certificateField)
        #expect(rows.first { $0.name == "kSecOID\(name)" }?.value == "\(Self.fields).\(number)")
    }

    @Test("no two fields of a certificate have one string")
    func distinct() {
        let rows = CertificateConstantTable.rows(in: .certificateField)
        #expect(Set(rows.map(\.value)).count == rows.count)
    }

    @Test("the extensions for developers have the strings that are published")
    func developers() {
        let rows = CertificateConstantTable.rows(in: .certificateExtension)
        func value(_ name: String) -> String? { rows.first { $0.name == "kSecOIDAPPLE_EXTENSION_\(name)" }?.value }
        #expect(value("ADC_DEV_SIGNING") == "1.2.840.113635.100.6.1.2.0")
        #expect(value("ADC_APPLE_SIGNING") == "1.2.840.113635.100.6.1.2.0.0")
    }
}
