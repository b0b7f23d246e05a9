// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import KeychainCertificates
package import KeychainCore
import KeychainPropertyLists

/// The file format: an XML property list as `security trust-settings-export` writes it.
///
/// `trustVersion` is 1; `trustList` has a dictionary for each certificate, with `issuerName`, `serialNumber`, `modDate`
/// and, unless the certificate is trusted in every case, `trustSettings`. Entries here also have `certificate`, the
/// certificate in DER, so that a chain can be built without a presented anchor.
extension TrustSettings {
    /// The maximum size of a list.
    package static let maximumBytes = 16 << 20

    /// The settings of a property list.
    ///
    /// - Throws: `errSecInvalidTrustSettings` if it is invalid.
    package init(propertyList: Data) throws(KeychainError) {
        guard propertyList.count <= Self.maximumBytes, PropertyListShape.isHarmlessXML(propertyList),
            let list = try? PropertyListDecoder().decode(List.self, from: propertyList), list.trustVersion == 1
        else { throw Self.invalid("it is no property list of trust settings") }
        for (key, entry) in list.trustList {
            let fingerprint = key.uppercased()
            // Which of two entries for a certificate counts would be left to chance.
            guard entries[fingerprint] == nil else { throw Self.invalid("two entries are for \(fingerprint)") }
            entries[fingerprint] = try Entry(entry, key: fingerprint)
        }
    }

    /// The property list of the settings.
    package var propertyList: Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        // Such a list can always be written.
        return (try? encoder.encode(List(trustVersion: 1, trustList: entries.mapValues(EntryMembers.init)))) ?? Data()
    }

    fileprivate static func invalid(_ reason: String) -> KeychainError {
        KeychainError(Status(rawValue: -25262), "these are no trust settings: \(reason)")
    }
}

/// The keys of a list.
private struct List: Codable {
    var trustVersion: Int
    var trustList: [String: EntryMembers]
}

private struct EntryMembers: Codable {
    var issuerName: Data
    var serialNumber: Data
    var modDate: Date?
    var trustSettings: [RuleMembers]?
    var certificate: Data?

    init(_ entry: TrustSettings.Entry) {
        issuerName = Data(entry.issuer)
        serialNumber = Data(entry.serialNumber)
        modDate = Date(timeIntervalSinceReferenceDate: entry.modified.secondsSinceReferenceDate.rounded())
        trustSettings = entry.rules.isEmpty ? nil : entry.rules.map(RuleMembers.init)
        certificate = entry.certificate.map { Data($0) }
    }
}

private struct RuleMembers: Codable {
    var policy: Data?
    var policyName: String?
    var policyString: String?
    var application: Data?
    var keyUsage: Int64?
    var allowedError: Int64?
    var result: Int32?

    private enum CodingKeys: String, CodingKey {
        case policy = "kSecTrustSettingsPolicy"
        case policyName = "kSecTrustSettingsPolicyName"
        case policyString = "kSecTrustSettingsPolicyString"
        case application = "kSecTrustSettingsApplication"
        case keyUsage = "kSecTrustSettingsKeyUsage"
        case allowedError = "kSecTrustSettingsAllowedError"
        case result = "kSecTrustSettingsResult"
    }

    init(_ rule: TrustSettings.Rule) {
        policy = rule.policy.map { Data($0) }
        policyName = rule.policyName
        policyString = rule.policyString
        application = rule.application.map { Data($0) }
        keyUsage = rule.keyUsage.map(Int64.init)
        allowedError = rule.allowedError.map(Int64.init)
        result = rule.decision?.rawValue
    }
}

extension TrustSettings.Entry {
    fileprivate init(_ members: EntryMembers, key: String) throws(KeychainError) {
        var rules: [TrustSettings.Rule] = []
        for rule in members.trustSettings ?? [] { rules.append(try TrustSettings.Rule(rule)) }
        let certificate = members.certificate.map { Array($0) }
        if let certificate, TrustSettings.key(of: certificate) != key {
            throw TrustSettings.invalid("an entry has the certificate of another")
        }
        self.init(
            issuer: Array(members.issuerName),
            serialNumber: Array(members.serialNumber),
            modified: Timestamp(secondsSinceReferenceDate: members.modDate?.timeIntervalSinceReferenceDate ?? 0),
            rules: rules,
            certificate: certificate
        )
    }
}

extension TrustSettings.Rule {
    fileprivate init(_ members: RuleMembers) throws(KeychainError) {
        policy = members.policy.map { Array($0) }
        policyName = members.policyName
        policyString = members.policyString
        application = members.application.map { Array($0) }
        // Apple writes them as signed 32-bit numbers, or as unsigned numbers.
        keyUsage = members.keyUsage.map { UInt32(truncatingIfNeeded: $0) }
        allowedError = members.allowedError.map { Int32(truncatingIfNeeded: $0) }
        guard let number = members.result else { return }
        guard let decision = TrustSettings.Decision(rawValue: number) else {
            throw TrustSettings.invalid("a rule has an unknown result")
        }
        self.decision = decision
    }
}
