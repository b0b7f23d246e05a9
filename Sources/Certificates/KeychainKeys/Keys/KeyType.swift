// SPDX-License-Identifier: Apache-2.0

/// A family of asymmetric keys.
package enum KeyType: Sendable, Hashable, CaseIterable {
    /// Keys on the curves P-256, P-384 and P-521 (SP 800-186).
    case ellipticCurve
    /// RSA keys of 1024 to 8192 bits (RFC 8017).
    case rsa

    /// The value of `kSecAttrKeyType` (Semantics, "Constants").
    package var attributeValue: String {
        switch self {
        case .ellipticCurve: "73"
        case .rsa: "42"
        }
    }

    /// The type of a value of `kSecAttrKeyType`; `nil` for an unsupported type.
    package init?(attributeValue: String) {
        guard let type = Self.allCases.first(where: { $0.attributeValue == attributeValue }) else { return nil }
        self = type
    }
}
