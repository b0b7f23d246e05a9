// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

/// One extension of a certificate (RFC 5280, section 4.2).
struct CertificateExtension: Sendable {
    let type: ASN1ObjectIdentifier
    let isCritical: Bool
    /// The contents of the OCTET STRING.
    let value: ArraySlice<UInt8>

    /// The extensions inside their tag; empty if it is missing.
    ///
    /// An extension may occur twice, contrary to RFC 5280.
    ///
    /// - Throws: for a malformed extension; its contents are not examined.
    static func list(_ node: ASN1Node?) throws(CertificateError) -> [CertificateExtension] {
        guard let node else { return [] }
        var outer = try CertificateFieldReader(node, as: .context(3), named: "the extensions")
        var fields = try CertificateFieldReader(outer.next("list"), "the extensions")
        try outer.end()
        var list: [CertificateExtension] = []
        while !fields.isAtEnd { list.append(try CertificateExtension(fields.next("extension"))) }
        return list
    }

    /// Whether it is a marker of Apple's: it says what Apple issued a certificate for, and has no contents.
    ///
    /// Apple's certificates for signing code have critical ones, of the arcs for certificates of developers
    /// (1.2.840.113635.100.6.1) and of their issuers (1.2.840.113635.100.6.2), which Apple's certification practice
    /// statements list.
    var isAppleMarker: Bool {
        let components = type.oidComponents
        let isMarker = [1, 2].contains { components.starts(with: [1, 2, 840, 113_635, 100, 6, $0]) }
        return isMarker && components.count > 7 && value.elementsEqual([0x05, 0x00])
    }

    private init(_ node: ASN1Node) throws(CertificateError) {
        var fields = try CertificateFieldReader(node, "an extension")
        type = try fields.next("type").objectIdentifier("the type of an extension")
        isCritical = try Self.isTrue(fields.nextIfPresent(.boolean))
        value = try fields.bytes(.octetString, "the value of an extension")
        try fields.end()
    }

    /// An explicit `false` occurs, although DER does not permit it.
    static func isTrue(_ node: ASN1Node?) throws(CertificateError) -> Bool {
        guard let node else { return false }
        switch try Array(node.bytes(.boolean, "a truth value of an extension")) {
        case [0]: return false
        case [0xFF]: return true
        default: throw CertificateError("a truth value of an extension is neither true nor false")
        }
    }
}

extension ASN1ObjectIdentifier {
    static let subjectKeyIdentifier: ASN1ObjectIdentifier = [2, 5, 29, 14]
    static let subjectAlternativeName: ASN1ObjectIdentifier = [2, 5, 29, 17]
    static let keyUsage: ASN1ObjectIdentifier = [2, 5, 29, 15]
    static let basicConstraints: ASN1ObjectIdentifier = [2, 5, 29, 19]
    static let extendedKeyUsage: ASN1ObjectIdentifier = [2, 5, 29, 37]
    static let nameConstraints: ASN1ObjectIdentifier = [2, 5, 29, 30]
    static let distributionPoints: ASN1ObjectIdentifier = [2, 5, 29, 31]
    static let certificatePolicies: ASN1ObjectIdentifier = [2, 5, 29, 32]
    static let authorityKeyIdentifier: ASN1ObjectIdentifier = [2, 5, 29, 35]
    static let inhibitAnyPolicy: ASN1ObjectIdentifier = [2, 5, 29, 54]
    static let authorityInformationAccess: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 1, 1]

    /// The critical extensions that X509_verify_cert(3) processes, of those that RFC 5280 defines.
    static let verifiedExtensions: Set<ASN1ObjectIdentifier> = [
        subjectAlternativeName, keyUsage, basicConstraints, extendedKeyUsage, nameConstraints, distributionPoints,
        certificatePolicies, inhibitAnyPolicy,
        [2, 5, 29, 33],  // policy mappings
        [2, 5, 29, 36],  // policy constraints
    ]

    /// The extensions that RFC 5280 defines: a certificate may mark any of them critical.
    static let standardExtensions: Set<ASN1ObjectIdentifier> = [
        subjectKeyIdentifier, subjectAlternativeName, keyUsage, basicConstraints, extendedKeyUsage, nameConstraints,
        distributionPoints, certificatePolicies, authorityKeyIdentifier, inhibitAnyPolicy, authorityInformationAccess,
        [2, 5, 29, 9],  // subject directory attributes
        [2, 5, 29, 18],  // issuer alternative name
        [2, 5, 29, 33],  // policy mappings
        [2, 5, 29, 36],  // policy constraints
        [2, 5, 29, 46],  // freshest CRL
        [1, 3, 6, 1, 5, 5, 7, 1, 11],  // subject information access
    ]
}
