// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

/// An extension of a certificate as properties; for an unknown or malformed one, its bytes.
enum ExtensionProperties {
    static func value(_ one: CertificateExtension) -> CertificateProperty.Value {
        do throws(CertificateError) {
            switch one.type {
            case .keyUsage: return .number(Double(try keyUsage(one)))
            case .extendedKeyUsage: return .list(try purposes(one.value))
            default: return .section([critical(one)] + (try parts(one)))
            }
        } catch {
            return .section([critical(one), CertificateProperty("Data", .data(Array(one.value)))])
        }
    }

    private static func critical(_ one: CertificateExtension) -> CertificateProperty {
        CertificateProperty("Critical", one.isCritical)
    }

    /// The bits as flags, the first bit being 1, and 1 << 31 for a critical extension.
    private static func keyUsage(_ one: CertificateExtension) throws(CertificateError) -> UInt32 {
        UInt32(try KeyUsage(extensionValue: one.value).rawValue) | (one.isCritical ? 1 << 31 : 0)
    }

    /// The content octets of the object identifiers.
    private static func purposes(_ value: ArraySlice<UInt8>) throws(CertificateError) -> [[UInt8]] {
        var fields = try CertificateFieldReader(parsing: value, "the extended key usage")
        var purposes: [[UInt8]] = []
        while !fields.isAtEnd { purposes.append(Array(try fields.bytes(.objectIdentifier, "a key purpose"))) }
        return purposes
    }

    private static func parts(_ one: CertificateExtension) throws(CertificateError) -> [CertificateProperty] {
        switch one.type {
        case .basicConstraints: return try basicConstraints(one.value)
        case .subjectKeyIdentifier:
            let name = "the subject key identifier"
            let bytes = try CertificateFieldReader.parse(one.value, name).bytes(.octetString, name)
            return [CertificateProperty("Key ID", .data(Array(bytes)))]
        case .authorityKeyIdentifier: return try authorityKeyIdentifier(one.value)
        case .subjectAlternativeName, .issuerAlternativeName: return try names(parsing: one.value)
        case .distributionPoints: return try distributionPoints(one.value)
        case .authorityInformationAccess, .subjectAccess: return try accesses(one.value)
        case .certificatePolicies: return try policies(one.value)
        default: return [CertificateProperty("Data", .data(Array(one.value)))]
        }
    }

    private static func basicConstraints(_ value: ArraySlice<UInt8>) throws(CertificateError) -> [CertificateProperty] {
        var fields = try CertificateFieldReader(parsing: value, "the basic constraints")
        let isAuthority = try CertificateExtension.isTrue(fields.nextIfPresent(.boolean))
        var parts = [CertificateProperty("Certificate Authority", isAuthority)]
        if let length = fields.nextIfPresent(.integer) {
            let octets = try length.bytes(.integer, "the path length").drop { $0 == 0 }
            guard octets.count <= 4 else { throw CertificateError("the path length is too large") }
            let number = octets.reduce(0) { $0 << 8 | Int($1) }
            parts.append(CertificateProperty("Path Length Constraint", "\(number)"))
        }
        return parts
    }

    private static func authorityKeyIdentifier(
        _ value: ArraySlice<UInt8>
    ) throws(CertificateError) -> [CertificateProperty] {
        var fields = try CertificateFieldReader(parsing: value, "the authority key identifier")
        var parts: [CertificateProperty] = []
        if let key = fields.nextIfPresent(.context(0)) {
            parts.append(CertificateProperty("Key ID", .data(Array(try key.bytes(.context(0), "the key identifier")))))
        }
        if let issuer = fields.nextIfPresent(.context(1)) {
            parts += try names(CertificateFieldReader(issuer, as: .context(1), named: "the issuer of an authority"))
        }
        if let number = fields.nextIfPresent(.context(2)) {
            let octets = try number.bytes(.context(2), "the serial number of an authority")
            parts.append(CertificateProperty("Serial Number", .data(Array(octets))))
        }
        return parts
    }

    private static func accesses(_ value: ArraySlice<UInt8>) throws(CertificateError) -> [CertificateProperty] {
        var fields = try CertificateFieldReader(parsing: value, "the information access")
        var parts: [CertificateProperty] = []
        while !fields.isAtEnd {
            var one = try CertificateFieldReader(fields.next("access"), "an information access")
            let method = try one.next("method").objectIdentifier("an access method")
            let place = GeneralName.property(try one.next("place"))
            parts.append(CertificateProperty("\(method)", place.value))
        }
        return parts
    }

    private static func policies(_ value: ArraySlice<UInt8>) throws(CertificateError) -> [CertificateProperty] {
        var fields = try CertificateFieldReader(parsing: value, "the certificate policies")
        var parts: [CertificateProperty] = []
        while !fields.isAtEnd {
            var one = try CertificateFieldReader(fields.next("policy"), "a certificate policy")
            let type = try one.next("type").objectIdentifier("a certificate policy")
            parts.append(CertificateProperty("Policy Identifier", "\(type)"))
        }
        return parts
    }

    /// The names of the points; reasons and issuers of lists are left out.
    private static func distributionPoints(
        _ value: ArraySlice<UInt8>
    ) throws(CertificateError) -> [CertificateProperty] {
        var fields = try CertificateFieldReader(parsing: value, "the distribution points")
        var parts: [CertificateProperty] = []
        while !fields.isAtEnd {
            var point = try CertificateFieldReader(fields.next("point"), "a distribution point")
            guard let name = point.nextIfPresent(.context(0)) else { continue }
            var choice = try CertificateFieldReader(name, as: .context(0), named: "the name of a distribution point")
            guard let full = choice.nextIfPresent(.context(0)) else { continue }
            parts += try names(CertificateFieldReader(full, as: .context(0), named: "the name of a distribution point"))
        }
        return parts
    }

    private static func names(parsing value: ArraySlice<UInt8>) throws(CertificateError) -> [CertificateProperty] {
        try names(CertificateFieldReader(parsing: value, "the alternative names"))
    }

    private static func names(_ fields: CertificateFieldReader) throws(CertificateError) -> [CertificateProperty] {
        var fields = fields
        var parts: [CertificateProperty] = []
        while !fields.isAtEnd { parts.append(GeneralName.property(try fields.next("name"))) }
        return parts
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let issuerAlternativeName: ASN1ObjectIdentifier = [2, 5, 29, 18]
    fileprivate static let subjectAccess: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 1, 11]
}
