// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

/// The syntax of extensions of which few or no values are kept (RFC 5280, section 4.2.1).
enum ExtensionShape {
    /// Whether basic constraints make the subject an authority (section 4.2.1.9).
    static func isAuthority(_ value: ArraySlice<UInt8>) throws(CertificateError) -> Bool {
        var fields = try CertificateFieldReader(parsing: value, "the basic constraints")
        let isAuthority = try CertificateExtension.isTrue(fields.nextIfPresent(.boolean))
        if let length = fields.nextIfPresent(.integer) { _ = try length.bytes(.integer, "the length of the path") }
        try fields.end()
        return isAuthority
    }

    /// The purposes of an extended key usage, at least one (section 4.2.1.12).
    static func purposes(_ value: ArraySlice<UInt8>) throws(CertificateError) -> [ASN1ObjectIdentifier] {
        var purposes: [ASN1ObjectIdentifier] = []
        try forEachPart(of: value, "the extended key usage") { (purpose) throws(CertificateError) in
            purposes.append(try purpose.objectIdentifier("a key purpose"))
        }
        return purposes
    }

    /// Section 4.2.1.10.
    static func checkNameConstraints(_ value: ArraySlice<UInt8>) throws(CertificateError) {
        var fields = try CertificateFieldReader(parsing: value, "the name constraints")
        for number: UInt in [0, 1] {
            guard let list = fields.nextIfPresent(.context(number)) else { continue }
            var subtrees = try CertificateFieldReader(list, as: .context(number), named: "the name constraints")
            while !subtrees.isAtEnd {
                var subtree = try CertificateFieldReader(subtrees.next("subtree"), "a name constraint")
                guard try subtree.next("name").identifier.tagClass == .contextSpecific else {
                    throw CertificateError("a name constraint has another type")
                }
            }
        }
        try fields.end()
    }

    /// Section 4.2.1.13.
    static func checkDistributionPoints(_ value: ArraySlice<UInt8>) throws(CertificateError) {
        try forEachPart(of: value, "the distribution points") { (point) throws(CertificateError) in
            _ = try CertificateFieldReader(point, "a distribution point")
        }
    }

    /// Section 4.2.1.4.
    static func checkPolicies(_ value: ArraySlice<UInt8>) throws(CertificateError) {
        try forEachPart(of: value, "the policies") { (policy) throws(CertificateError) in
            var fields = try CertificateFieldReader(policy, "a policy")
            _ = try fields.next("identifier").objectIdentifier("a policy")
            if let qualifiers = fields.nextIfPresent(.sequence) {
                _ = try CertificateFieldReader(qualifiers, "a policy")
            }
            try fields.end()
        }
    }

    /// Section 4.2.1.1.
    static func checkAuthorityKeyIdentifier(_ value: ArraySlice<UInt8>) throws(CertificateError) {
        let name = "the authority key identifier"
        var fields = try CertificateFieldReader(parsing: value, name)
        if let identifier = fields.nextIfPresent(.context(0)) { _ = try identifier.bytes(.context(0), name) }
        if let issuer = fields.nextIfPresent(.context(1)) {
            _ = try CertificateFieldReader(issuer, as: .context(1), named: name)
        }
        if let serialNumber = fields.nextIfPresent(.context(2)) { _ = try serialNumber.bytes(.context(2), name) }
        try fields.end()
    }

    /// Section 4.2.2.1.
    static func checkInformationAccess(_ value: ArraySlice<UInt8>) throws(CertificateError) {
        try forEachPart(of: value, "the information access") { (description) throws(CertificateError) in
            var fields = try CertificateFieldReader(description, "an information access")
            _ = try fields.next("method").objectIdentifier("an access method")
            guard try fields.next("location").identifier.tagClass == .contextSpecific else {
                throw CertificateError("an access location has another type")
            }
            try fields.end()
        }
    }

    /// Section 4.2.1.14.
    static func checkInhibitAnyPolicy(_ value: ArraySlice<UInt8>) throws(CertificateError) {
        let name = "the inhibition of anyPolicy"
        _ = try CertificateFieldReader.parse(value, name).bytes(.integer, name)
    }

    /// Calls `body` with each element of a SEQUENCE, which must have at least one.
    private static func forEachPart(
        of value: ArraySlice<UInt8>,
        _ name: String,
        _ body: (ASN1Node) throws(CertificateError) -> Void
    ) throws(CertificateError) {
        var fields = try CertificateFieldReader(parsing: value, name)
        guard !fields.isAtEnd else { throw CertificateError("\(name) has no part") }
        while !fields.isAtEnd { try body(fields.next("part")) }
    }
}
