// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// The `kSecMatch…` keys of a dictionary (Semantics, "Values and combinations").
struct MatchConditions: Sendable, Hashable {
    /// Every match key that was given, known or not.
    var keys: Set<String> = []
    var limit: MatchLimit = .one
    var hostOrSubdomain: String?
    var emailAddress: String?
    /// Names that have to be in a certificate's chain, normalized.
    var issuers: [SecretBytes] = []
    var policy: CertificatePolicy?
    /// Whether certificates have to be trusted; `nil` if the query does not specify it.
    var trustedOnly: Bool?
    var validOn: Moment?

    /// When a certificate has to be valid.
    enum Moment: Sendable, Hashable {
        /// At the time of the call.
        case now
        /// At a given time.
        case at(Timestamp)
    }

    /// A condition that only the open item can answer.
    enum Condition: Sendable, Hashable {
        /// The digest of the item (``Query/hasDigest(of:)``), which is named as an attribute.
        case digest(AttributeValue)
        case hostOrSubdomain(String)
        case emailAddress(String)
        case issuers([SecretBytes])
        case policy(CertificatePolicy)
        case trustedOnly(Bool)
        case validOn(Moment)

        /// The dictionary key of the condition.
        var key: String {
            switch self {
            case .digest: AttributeName.digest.description
            case .hostOrSubdomain: PropertyKey.matchHostOrSubdomainOfHost
            case .emailAddress: PropertyKey.matchEmailAddressIfPresent
            case .issuers: PropertyKey.matchIssuers
            case .policy: PropertyKey.matchPolicy
            case .trustedOnly: PropertyKey.matchTrustedOnly
            case .validOn: PropertyKey.matchValidOnDate
            }
        }
    }

    /// One condition alone.
    init(_ condition: Condition) {
        switch condition {
        case .digest: break
        case .hostOrSubdomain(let host): hostOrSubdomain = host
        case .emailAddress(let address): emailAddress = address
        case .issuers(let names): issuers = names
        case .policy(let given): policy = given
        case .trustedOnly(let flag): trustedOnly = flag
        case .validOn(let moment): validOn = moment
        }
    }

    /// No condition.
    init() {}

    /// Calls `body` with each condition that was given.
    func forEachCondition(_ body: (Condition) -> Void) {
        if let hostOrSubdomain { body(.hostOrSubdomain(hostOrSubdomain)) }
        if let emailAddress { body(.emailAddress(emailAddress)) }
        if !issuers.isEmpty { body(.issuers(issuers)) }
        if let policy { body(.policy(policy)) }
        if let trustedOnly { body(.trustedOnly(trustedOnly)) }
        if let validOn { body(.validOn(validOn)) }
    }

    /// Whether a certificate's contents or its issuers decide a match, which no tag can represent.
    var decidesOnCertificates: Bool {
        emailAddress != nil || !issuers.isEmpty || readsCertificates
    }

    /// Whether a condition requires reading the contents of certificates.
    ///
    /// The one on e-mail addresses does not (Semantics, "Copying matching items", step 6).
    var readsCertificates: Bool {
        policy != nil || validOn != nil || trustedOnly != nil
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
        case (PropertyKey.matchValidOnDate, .date(let date)): validOn = .at(date)
        case (PropertyKey.matchValidOnDate, .null): validOn = .now
        case (PropertyKey.matchPolicy, .policy(let given)): policy = given
        case (PropertyKey.matchIssuers, .array(let names)):
            issuers = names.compactMap(DistinguishedName.name).map(DistinguishedName.normalizedContent)
        case (PropertyKey.matchHostOrSubdomainOfHost, _), (PropertyKey.matchEmailAddressIfPresent, _),
            (PropertyKey.matchTrustedOnly, _), (PropertyKey.matchValidOnDate, _):
            throw .parameter("the value of '\(key)' has a wrong type")
        default: break
        }
    }

    /// Refuses what has no meaning for the class.
    ///
    /// - Throws: `errSecUnimplemented`, as Apple's keychain does.
    func check(for itemClass: ItemClass) throws(KeychainError) {
        let isCertificate = itemClass == .certificate || itemClass == .identity
        if !isCertificate, !issuers.isEmpty || policy != nil {
            throw KeychainError(.unimplemented, "issuers and policies select certificates and identities only")
        }
        if itemClass != .internetPassword, hostOrSubdomain != nil {
            throw KeychainError(.unimplemented, "kSecMatchHostOrSubdomainOfHost selects internet passwords only")
        }
    }
}
