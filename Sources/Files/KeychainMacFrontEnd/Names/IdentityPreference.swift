// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// The preferred identity for a service: a generic password item without a password.
///
/// Its service is that of the preference, its type `iprf`, and its generic attribute the SHA-256 digest of the
/// certificate. `security set-identity-preference` and the functions on preferred identities store the same items.
package struct IdentityPreference: Sendable, Hashable {
    /// The service of the preference: a URL, the name of a host, a mail address or any other text.
    package let service: String

    /// The preference for a service.
    package init(service: String) { self.service = service }

    /// The attributes that every preference has, and no other item.
    package static let searched: [AttributeName: PropertyValue] = ["type": .number(.integer(0x6970_7266))]

    /// The attributes of the item that sets the preferred identity.
    ///
    /// - Parameter digest: the SHA-256 digest of the certificate.
    /// - Returns: Account, service, label, type and digest.
    package func attributes(digest: [UInt8]) -> [AttributeName: PropertyValue] {
        Self.searched.merging([
            .account: .string("identity preference"), .service: .string(service), .label: .string(service),
            Self.digest: .data(SecretBytes(digest)),
        ]) { $1 }
    }

    /// The attribute with the digest of the certificate.
    package static let digest: AttributeName = "gena"

    /// The preference that is in effect for the service.
    ///
    /// In this order (the manual page of `security` on macOS): the one for the service as given; one whose service ends
    /// with a slash, for every path below it, the longest first; one with `*` as the leftmost label of the host, for
    /// one or more labels, the longest first.
    ///
    /// - Parameters:
    ///   - stored: the stored preferences, in the order of the search.
    ///   - service: the service of a stored preference; `nil` if it has none.
    /// - Returns: The first of several for one service; `nil` if there are none.
    package func inEffect<Stored>(_ stored: [Stored], _ service: (Stored) -> String?) -> Stored? {
        var first: [String: Stored] = [:]
        for preference in stored {
            if let name = service(preference), first[name] == nil { first[name] = preference }
        }
        let address = ServiceAddress(self.service)
        var found: (rank: ServiceAddress.Rank, preference: Stored)?
        for (name, preference) in first {
            guard let rank = address.rank(of: name) else { continue }
            if found.map({ rank < $0.rank }) ?? true { found = (rank, preference) }
        }
        return found?.preference
    }
}
