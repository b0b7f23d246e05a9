// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The `kSecMatch…` keys of a dictionary (specification, section 3.5).
struct MatchConditions: Sendable, Hashable {
    /// Every match key that was given, known or not.
    var keys: Set<String> = []
    var limit: MatchLimit = .one
    var hostOrSubdomain: String?
    var emailAddress: String?
    var issuers: [SecretBytes] = []
    var hasPolicy = false
    var trustedOnly = false
    var validOnDate = false

    /// Whether only a certificate's contents can decide a match.
    var needsCertificate: Bool {
        emailAddress != nil || !issuers.isEmpty || hasPolicy || trustedOnly || validOnDate
    }

    /// Takes one match key.
    ///
    /// Unknown ones are noted and otherwise ignored.
    mutating func set(_ key: String, _ value: PropertyValue) throws(KeychainError) {
        keys.insert(key)
        switch (key, value) {
        case (PropertyKey.matchLimit, _): limit = try MatchLimit(value)
        case (PropertyKey.matchHostOrSubdomainOfHost, .string(let host)): hostOrSubdomain = host
        case (PropertyKey.matchEmailAddressIfPresent, .string(let address)): emailAddress = address
        case (PropertyKey.matchTrustedOnly, .boolean(let flag)): trustedOnly = flag
        case (PropertyKey.matchValidOnDate, .date), (PropertyKey.matchValidOnDate, .null): validOnDate = true
        case (PropertyKey.matchPolicy, .object("SecPolicy")): hasPolicy = true
        case (PropertyKey.matchIssuers, .array(let names)): issuers = names.compactMap(DistinguishedName.sequence)
        case (PropertyKey.matchHostOrSubdomainOfHost, _), (PropertyKey.matchEmailAddressIfPresent, _),
            (PropertyKey.matchTrustedOnly, _), (PropertyKey.matchValidOnDate, _), (PropertyKey.matchPolicy, _):
            throw .parameter("the value of '\(key)' has a wrong type")
        default: break
        }
    }

    /// Refuses what has no meaning for the class.
    ///
    /// - Throws: `errSecUnimplemented`, as Apple's keychain does.
    func check(for itemClass: ItemClass) throws(KeychainError) {
        let isCertificate = itemClass == .certificate || itemClass == .identity
        if !isCertificate, !issuers.isEmpty || hasPolicy {
            throw KeychainError(.unimplemented, "issuers and policies select certificates and identities only")
        }
        if itemClass != .internetPassword, hostOrSubdomain != nil {
            throw KeychainError(.unimplemented, "kSecMatchHostOrSubdomainOfHost selects internet passwords only")
        }
    }
}
