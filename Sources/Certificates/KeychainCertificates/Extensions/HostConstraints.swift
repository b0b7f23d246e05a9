// SPDX-License-Identifier: Apache-2.0

import KeychainCore
internal import SwiftASN1

/// The domains of a name constraints extension (RFC 5280, section 4.2.1.10), within which an authority may certify
/// hosts.
struct HostConstraints: Sendable {
    private var permitted: [String] = []
    private var excluded: [String] = []
    private var permitsNone = false

    /// Unreadable constraints, which permit no host.
    static let none: HostConstraints = {
        var constraints = HostConstraints()
        constraints.permitsNone = true
        return constraints
    }()

    private init() {}

    init(_ value: ArraySlice<UInt8>) throws(CertificateError) {
        var fields = try CertificateFieldReader(parsing: value, "the name constraints")
        if let node = fields.nextIfPresent(.context(0)) { permitted = try Self.domains(node, 0) }
        if let node = fields.nextIfPresent(.context(1)) { excluded = try Self.domains(node, 1) }
        try fields.end()
    }

    /// Whether a host is outside every excluded domain, and inside a permitted one if there are any; the domains do not
    /// apply to an address.
    func permit(_ host: HostName) -> Bool {
        guard !permitsNone else { return false }
        guard case .name(let labels) = host else { return true }
        return !excluded.contains { HostName.isWithin($0, labels) }
            && (permitted.isEmpty || permitted.contains { HostName.isWithin($0, labels) })
    }

    /// The DNS names of a list of subtrees.
    private static func domains(_ node: ASN1Node, _ tag: UInt) throws(CertificateError) -> [String] {
        var fields = try CertificateFieldReader(node, as: .context(tag), named: "the subtrees of name constraints")
        var domains: [String] = []
        while !fields.isAtEnd {
            var subtree = try CertificateFieldReader(fields.next("subtree"), "a subtree of name constraints")
            let base = try subtree.next("base")
            guard base.identifier == .context(2) else { continue }
            let bytes = try base.bytes(.context(2), "the base of a subtree")
            guard let domain = String(validating: bytes, as: UTF8.self), !domain.hasTooManyMarks else {
                throw CertificateError("the base of a subtree is not text, or has too many combining marks")
            }
            domains.append(domain)
        }
        return domains
    }
}
