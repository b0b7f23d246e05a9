// SPDX-License-Identifier: Apache-2.0
//
// A table: long on purpose. Names are those of Apple's documentation. Object identifiers are those of the standards
// that assign them: X.520 and RFC 5280, RFC 3739, RFC 4556 and RFC 4985, Apple's certification practice statements, and
// for the fields of a certificate the CDSA of The Open Group (Common Security: CDSA and CSSM, part 7). Where Apple's
// string is another than that of the standard, the table has Apple's, as programs publish it.

/// The table of the string constants of certificates, none of which is used in the dictionaries of item functions.
package enum CertificateConstantTable {
    /// One constant.
    package struct Row: Hashable, Sendable {
        /// The C name, for example `kSecOIDCommonName`.
        package var name: String

        /// The string behind the name, for example `2.5.4.3`.
        package var value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The purposes of constants.
    package enum Group: String, CaseIterable, Sendable {
        /// Fields of a certificate.
        case certificateField
        /// Attributes of names.
        case nameAttribute
        /// Extensions of a certificate.
        case certificateExtension
        /// Purposes of a certificate's key, and policies of authorities.
        case certificatePurpose
        /// Keys and types of the properties of a certificate.
        case certificateProperty
    }

    /// The rows of a group.
    package static func rows(in group: Group) -> [Row] {
        switch group {
        case .certificateField: certificateField
        case .nameAttribute: nameAttribute
        case .certificateExtension: certificateExtension
        case .certificatePurpose: certificatePurpose
        case .certificateProperty: certificateProperty
        }
    }

    private static let certificateField: [Row] = [
        Row("kSecOIDX509V3SignedCertificate", "2.16.840.1.113741.2.1.1.1.0"),
        Row("kSecOIDX509V3SignedCertificateCStruct", "2.16.840.1.113741.2.1.1.1.0.1"),
        Row("kSecOIDX509V3Certificate", "2.16.840.1.113741.2.1.1.1.1"),
        Row("kSecOIDX509V3CertificateCStruct", "2.16.840.1.113741.2.1.1.1.1.1"),
        Row("kSecOIDX509V1Version", "2.16.840.1.113741.2.1.1.1.2"),
        Row("kSecOIDX509V1SerialNumber", "2.16.840.1.113741.2.1.1.1.3"),
        Row("kSecOIDX509V1IssuerName", "2.16.840.1.113741.2.1.1.1.5"),
        Row("kSecOIDX509V1IssuerNameCStruct", "2.16.840.1.113741.2.1.1.1.5.1"),
        Row("kSecOIDX509V1IssuerNameLDAP", "2.16.840.1.113741.2.1.1.1.5.2"),
        Row("kSecOIDX509V1IssuerNameStd", "2.16.840.1.113741.2.1.1.1.23"),
        Row("kSecOIDX509V1ValidityNotBefore", "2.16.840.1.113741.2.1.1.1.6"),
        Row("kSecOIDX509V1ValidityNotAfter", "2.16.840.1.113741.2.1.1.1.7"),
        Row("kSecOIDX509V1SubjectName", "2.16.840.1.113741.2.1.1.1.8"),
        Row("kSecOIDX509V1SubjectNameCStruct", "2.16.840.1.113741.2.1.1.1.8.1"),
        Row("kSecOIDX509V1SubjectNameLDAP", "2.16.840.1.113741.2.1.1.1.8.2"),
        Row("kSecOIDX509V1SubjectNameStd", "2.16.840.1.113741.2.1.1.1.22"),
        Row("kSecOIDX509V1SubjectPublicKeyAlgorithm", "2.16.840.1.113741.2.1.1.1.9"),
        Row("kSecOIDX509V1SubjectPublicKey", "2.16.840.1.113741.2.1.1.1.10"),
        Row("kSecOIDX509V1CertificateIssuerUniqueId", "2.16.840.1.113741.2.1.1.1.11"),
        Row("kSecOIDX509V1CertificateSubjectUniqueId", "2.16.840.1.113741.2.1.1.1.12"),
        Row("kSecOIDX509V3CertificateExtensionStruct", "2.16.840.1.113741.2.1.1.1.13"),
        Row("kSecOIDX509V3CertificateExtensionCStruct", "2.16.840.1.113741.2.1.1.1.13.1"),
        Row("kSecOIDX509V3CertificateNumberOfExtensions", "2.16.840.1.113741.2.1.1.1.14"),
        Row("kSecOIDX509V3CertificateExtensionId", "2.16.840.1.113741.2.1.1.1.15"),
        Row("kSecOIDX509V3CertificateExtensionCritical", "2.16.840.1.113741.2.1.1.1.16"),
        Row("kSecOIDX509V3CertificateExtensionType", "2.16.840.1.113741.2.1.1.1.19"),
        Row("kSecOIDX509V3CertificateExtensionValue", "2.16.840.1.113741.2.1.1.1.17"),
        Row("kSecOIDCSSMKeyStruct", "2.16.840.1.113741.2.1.1.1.20"),
        Row("kSecOIDX509V1SubjectPublicKeyCStruct", "2.16.840.1.113741.2.1.1.1.20.1"),
        Row("kSecOIDX509V3CertificateExtensionsStruct", "2.16.840.1.113741.2.1.1.1.21"),
        Row("kSecOIDX509V3CertificateExtensionsCStruct", "2.16.840.1.113741.2.1.1.1.21.1"),
        Row("kSecOIDX509V1SubjectPublicKeyAlgorithmParameters", "2.16.840.1.113741.2.1.1.1.18"),
        Row("kSecOIDSubjectSignatureBitmap", "2.16.840.1.113741.2.1.1.1.50.1"),
        Row("kSecOIDSubjectPicture", "2.16.840.1.113741.2.1.1.1.50.2"),
        Row("kSecOIDSubjectEmailAddress", "2.16.840.1.113741.2.1.1.1.50.3"),
        Row("kSecOIDUseExemptions", "2.16.840.1.113741.2.1.1.1.50.4"),
        Row("kSecOIDX509V1SignatureStruct", "2.16.840.1.113741.2.1.3.2.0"),
        Row("kSecOIDX509V1SignatureCStruct", "2.16.840.1.113741.2.1.3.2.0.1"),
        Row("kSecOIDX509V1SignatureAlgorithm", "2.16.840.1.113741.2.1.3.2.1"),
        Row("kSecOIDX509V1Signature", "2.16.840.1.113741.2.1.3.2.2"),
        Row("kSecOIDX509V1SignatureAlgorithmParameters", "2.16.840.1.113741.2.1.3.2.3"),
        Row("kSecOIDX509V1SignatureAlgorithmTBS", "2.16.840.1.113741.2.1.3.2.10"),
    ]

    private static let nameAttribute: [Row] = [
        Row("kSecOIDCommonName", "2.5.4.3"),
        Row("kSecOIDSurname", "2.5.4.4"),
        Row("kSecOIDSerialNumber", "2.5.4.5"),
        Row("kSecOIDCountryName", "2.5.4.6"),
        Row("kSecOIDLocalityName", "2.5.4.7"),
        Row("kSecOIDStateProvinceName", "2.5.4.8"),
        Row("kSecOIDCollectiveStateProvinceName", "2.5.4.8.1"),
        Row("kSecOIDStreetAddress", "2.5.4.9"),
        Row("kSecOIDCollectiveStreetAddress", "2.5.4.9.1"),
        Row("kSecOIDOrganizationName", "2.5.4.10"),
        Row("kSecOIDOrganizationalUnitName", "2.5.4.11"),
        Row("kSecOIDTitle", "2.5.4.12"),
        Row("kSecOIDDescription", "2.5.4.13"),
        Row("kSecOIDGivenName", "2.5.4.42"),
        Row("kSecOIDEmailAddress", "1.2.840.113549.1.9.1"),
        Row("kSecOIDMS_NTPrincipalName", "1.3.6.1.4.1.311.20.2.3"),
        Row("kSecOIDSRVName", "1.3.6.1.5.5.7.8.7"),
    ]

    private static let certificateExtension: [Row] = [
        Row("kSecOIDSubjectDirectoryAttributes", "2.5.29.9"),
        Row("kSecOIDSubjectKeyIdentifier", "2.5.29.14"),
        Row("kSecOIDKeyUsage", "2.5.29.15"),
        Row("kSecOIDPrivateKeyUsagePeriod", "2.5.29.16"),
        Row("kSecOIDSubjectAltName", "2.5.29.17"),
        Row("kSecOIDIssuerAltName", "2.5.29.18"),
        Row("kSecOIDBasicConstraints", "2.5.29.19"),
        Row("kSecOIDCrlNumber", "2.5.29.20"),
        Row("kSecOIDCrlReason", "2.5.29.21"),
        Row("kSecOIDHoldInstructionCode", "2.5.29.23"),
        Row("kSecOIDInvalidityDate", "2.5.29.24"),
        Row("kSecOIDDeltaCrlIndicator", "2.5.29.27"),
        Row("kSecOIDIssuingDistributionPoint", "2.5.29.28"),
        Row("kSecOIDIssuingDistributionPoints", "2.5.29.28"),
        Row("kSecOIDCertIssuer", "2.5.29.29"),
        Row("kSecOIDNameConstraints", "2.5.29.30"),
        Row("kSecOIDCrlDistributionPoints", "2.5.29.31"),
        Row("kSecOIDCertificatePolicies", "2.5.29.32"),
        Row("kSecOIDPolicyMappings", "2.5.29.33"),
        Row("kSecOIDAuthorityKeyIdentifier", "2.5.29.35"),
        Row("kSecOIDPolicyConstraints", "2.5.29.36"),
        Row("kSecOIDExtendedKeyUsage", "2.5.29.37"),
        Row("kSecOIDAuthorityInfoAccess", "1.3.6.1.5.5.7.1.1"),
        Row("kSecOIDBiometricInfo", "1.3.6.1.5.5.7.1.2"),
        Row("kSecOIDQC_Statements", "1.3.6.1.5.5.7.1.3"),
        Row("kSecOIDSubjectInfoAccess", "1.3.6.1.5.5.7.1.11"),
        Row("kSecOIDNetscapeCertType", "2.16.840.1.113730.1.1"),
        Row("kSecOIDNetscapeCertSequence", "2.16.840.1.113730.2.5"),
        Row("kSecOIDAPPLE_EXTENSION", "1.2.840.113635.100.6"),
        Row("kSecOIDAPPLE_EXTENSION_CODE_SIGNING", "1.2.840.113635.100.6.1"),
        Row("kSecOIDAPPLE_EXTENSION_APPLE_SIGNING", "1.2.840.113635.100.6.1.1"),
        Row("kSecOIDAPPLE_EXTENSION_ADC_DEV_SIGNING", "1.2.840.113635.100.6.1.2.0"),
        Row("kSecOIDAPPLE_EXTENSION_ADC_APPLE_SIGNING", "1.2.840.113635.100.6.1.2.0.0"),
        Row("kSecOIDAPPLE_EXTENSION_INTERMEDIATE_MARKER", "1.2.840.113635.100.6.2"),
        Row("kSecOIDAPPLE_EXTENSION_WWDR_INTERMEDIATE", "1.2.840.113635.100.6.2.1"),
        Row("kSecOIDAPPLE_EXTENSION_ITMS_INTERMEDIATE", "1.2.840.113635.100.6.2.2"),
        Row("kSecOIDAPPLE_EXTENSION_AAI_INTERMEDIATE", "1.2.840.113635.100.6.2.3"),
        Row("kSecOIDAPPLE_EXTENSION_APPLEID_INTERMEDIATE", "1.2.840.113635.100.6.2.7"),
        Row("kSecOIDDOTMAC_CERT_EXTENSION", "1.2.840.113635.100.3.2"),
        Row("kSecOIDDOTMAC_CERT_IDENTITY", "1.2.840.113635.100.3.2.1"),
        Row("kSecOIDDOTMAC_CERT_EMAIL_SIGN", "1.2.840.113635.100.3.2.2"),
        Row("kSecOIDDOTMAC_CERT_EMAIL_ENCRYPT", "1.2.840.113635.100.3.2.3"),
    ]

    private static let certificatePurpose: [Row] = [
        Row("kSecOIDExtendedKeyUsageAny", "2.5.29.37.0"),
        Row("kSecOIDServerAuth", "1.3.6.1.5.5.7.3.1"),
        Row("kSecOIDClientAuth", "1.3.6.1.5.5.7.3.2"),
        Row("kSecOIDExtendedUseCodeSigning", "1.3.6.1.5.5.7.3.3"),
        Row("kSecOIDEmailProtection", "1.3.6.1.5.5.7.3.4"),
        Row("kSecOIDTimeStamping", "1.3.6.1.5.5.7.3.8"),
        Row("kSecOIDOCSPSigning", "1.3.6.1.5.5.7.3.9"),
        Row("kSecOIDEKU_IPSec", "1.3.6.1.5.5.8.2.2"),
        Row("kSecOIDKERBv5_PKINIT_KP_CLIENT_AUTH", "1.3.6.1.5.2.3.4"),
        Row("kSecOIDKERBv5_PKINIT_KP_KDC", "1.3.6.1.5.2.3.5"),
        Row("kSecOIDMicrosoftSGC", "1.3.6.1.4.1.311.10.3.3"),
        Row("kSecOIDNetscapeSGC", "2.16.840.1.113730.4.1"),
        Row("kSecOIDAPPLE_EKU_CODE_SIGNING", "1.2.840.113635.100.4.1"),
        Row("kSecOIDAPPLE_EKU_CODE_SIGNING_DEV", "1.2.840.113635.100.4.1.1"),
        Row("kSecOIDAPPLE_EKU_RESOURCE_SIGNING", "1.2.840.113635.100.4.1.4"),
        Row("kSecOIDAPPLE_EKU_ICHAT_SIGNING", "1.2.840.113635.100.4.2"),
        Row("kSecOIDAPPLE_EKU_ICHAT_ENCRYPTION", "1.2.840.113635.100.4.3"),
        Row("kSecOIDAPPLE_EKU_SYSTEM_IDENTITY", "1.2.840.113635.100.4.4"),
        Row("kSecOIDAPPLE_CERT_POLICY", "1.2.840.113635.100.5.1"),
        Row("kSecOIDDOTMAC_CERT_POLICY", "1.2.840.113635.100.5.2"),
        Row("kSecOIDADC_CERT_POLICY", "1.2.840.113635.100.5.3"),
    ]

    private static let certificateProperty: [Row] = [
        Row("kSecPropertyKeyType", "type"),
        Row("kSecPropertyKeyLabel", "label"),
        Row("kSecPropertyKeyLocalizedLabel", "localized label"),
        Row("kSecPropertyKeyValue", "value"),
        Row("kSecPropertyTypeWarning", "warning"),
        Row("kSecPropertyTypeError", "error"),
        Row("kSecPropertyTypeSuccess", "success"),
        Row("kSecPropertyTypeTitle", "title"),
        Row("kSecPropertyTypeSection", "section"),
        Row("kSecPropertyTypeData", "data"),
        Row("kSecPropertyTypeString", "string"),
        Row("kSecPropertyTypeURL", "url"),
        Row("kSecPropertyTypeDate", "date"),
        Row("kSecPropertyTypeArray", "array"),
        Row("kSecPropertyTypeNumber", "number"),
    ]
}
