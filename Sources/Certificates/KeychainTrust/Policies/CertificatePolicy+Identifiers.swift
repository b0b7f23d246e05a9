// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

extension CertificatePolicy {
    /// The object identifier that Apple assigned to the policy,in dotted decimal notation: the value of its constant
    /// `kSecPolicyApple…`.
    package var objectIdentifier: String { "1.2.840.113635.100.1.\(identity.number)" }

    /// The name of the policy in trust settings.
    package var settingsName: String { identity.name }

    /// The names that policies have in trust settings.
    static let settingsNames: Set<String> = Set(
        [true, false].flatMap { isServer in
            [CertificatePolicy.basicX509, .tls(isServer: isServer, host: nil), .revocation(0)]
                + Purpose.allCases.map { .purpose($0, isServer: isServer, name: nil) }
        }.map(\.settingsName)
    )

    /// A policy by its object identifier; `nil` if it is unknown.
    ///
    /// - Parameters:
    ///   - objectIdentifier: dotted decimal notation; for a policy with sides, that of both, or, with one more number,
    ///     that of the server (1) or the client (2), the value of `kSecPolicyApple…Server` and `…Client`.
    ///   - isServer: the side, if the policy has sides and the identifier is that of both.
    ///   - name: the host or e-mail address, if the policy has one.
    ///   - revocationFlags: the flags of a policy for revocation.
    package init?(objectIdentifier: String, isServer: Bool, name: String?, revocationFlags: UInt64 = 0) {
        for (suffix, isServer) in [("", isServer), (".1", true), (".2", false)] {
            let known: [CertificatePolicy] =
                [.basicX509, .tls(isServer: isServer, host: name), .revocation(revocationFlags)]
                + Purpose.allCases.map { .purpose($0, isServer: isServer, name: name) }
            let policy = known.first { $0.objectIdentifier + suffix == objectIdentifier }
            guard let policy, suffix.isEmpty || policy.hasSides else { continue }
            self = policy
            return
        }
        return nil
    }

    /// The last number of the object identifier, and the name.
    private var identity: (number: Int, name: String) {
        switch self {
        case .basicX509: (2, "basicX509")
        case .tls(let isServer, _): (3, isServer ? "sslServer" : "sslClient")
        case .purpose(.emailProtection, _, _): (8, "SMIME")
        case .purpose(.eap, let isServer, _): (9, isServer ? "eapServer" : "eapClient")
        case .purpose(.ipsec, let isServer, _): (11, isServer ? "ipsecServer" : "ipsecClient")
        case .purpose(.chat, _, _): (12, "iChat")
        case .purpose(.codeSigning, _, _): (16, "CodeSigning")
        case .purpose(.appleID, _, _): (18, "AppleIDAuthority")
        case .purpose(.macAppStoreReceipt, _, _): (19, "macAppStoreReceipt")
        case .purpose(.timeStamping, _, _): (20, "timeStamping")
        case .revocation: (21, "revocation")
        }
    }
}

/// Object identifiers as content octets (ITU-T X.690, section 8.19), as in trust settings.
package enum ObjectIdentifierOctets {
    /// The octets for dotted decimal notation; empty if it is not an identifier.
    package static func octets(_ text: String) -> [UInt8] {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt64($0) }
        guard numbers.count >= 2, let first = numbers[0], let second = numbers[1], first <= 2,
            second < (first == 2 ? UInt64.max - 80 : 40)
        else { return [] }
        let parts = [first * 40 + second] + numbers.dropFirst(2).compactMap(\.self)
        return parts.count == numbers.count - 1 ? parts.flatMap(octets) : []
    }

    /// The dotted decimal notation of octets; `nil` if they are not an identifier.
    package static func text(_ octets: [UInt8]) -> String? {
        guard let last = octets.last, last & 0x80 == 0, octets.count <= 64 else { return nil }
        var parts: [UInt64] = []
        var part: UInt64 = 0
        for octet in octets {
            guard part >> 57 == 0 else { return nil }
            part = part << 7 | UInt64(octet & 0x7F)
            guard octet & 0x80 == 0 else { continue }
            parts.append(part)
            part = 0
        }
        let first = min(parts[0] / 40, 2)
        return ([first, parts[0] - first * 40] + parts.dropFirst()).map(String.init).joined(separator: ".")
    }

    private static func octets(_ number: UInt64) -> [UInt8] {
        var octets = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            octets.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return octets
    }
}
