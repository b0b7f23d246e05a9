// SPDX-License-Identifier: Apache-2.0

/// The five item classes; the raw value is the string for `kSecClass` (Semantics, "Classes and attributes").
package enum ItemClass: String, Sendable, Hashable, CaseIterable {
    /// `kSecClassGenericPassword`.
    case genericPassword = "genp"
    /// `kSecClassInternetPassword`.
    case internetPassword = "inet"
    /// `kSecClassCertificate`.
    case certificate = "cert"
    /// `kSecClassKey`.
    case key = "keys"
    /// `kSecClassIdentity`: formed from a certificate and a key at query time, never stored.
    case identity = "idnt"

    /// The classes that have a table.
    package static let stored: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]

    /// Whether items of the class can be returned as a reference object (`kSecReturnRef`).
    package var hasReferenceType: Bool {
        switch self {
        case .genericPassword, .internetPassword: false
        case .certificate, .key, .identity: true
        }
    }
}
