// SPDX-License-Identifier: Apache-2.0

package import Foundation
import KeychainCertificates
package import KeychainCore

/// The file format: an XML property list as `security trust-settings-export` writes it.
///
/// `trustVersion` is 1; `trustList` has a dictionary for each certificate, with `issuerName`, `serialNumber`, `modDate`
/// and, unless the certificate is trusted in every case, `trustSettings`. Entries here also have `certificate`, the
/// certificate in DER, so that a chain can be built that does not bring its anchor along.
extension TrustSettings {
    /// The largest list that is read.
    package static let mostBytes = 16 << 20

    /// How deep the members of a list may be nested: those of settings are four levels deep.
    private static let mostLevels = 32

    /// The settings of a property list.
    ///
    /// - Throws: `errSecInvalidTrustSettings` for what is none.
    package init(propertyList: Data) throws(KeychainError) {
        guard propertyList.count <= Self.mostBytes, Self.isFlat(propertyList),
            let list = try? PropertyListSerialization.propertyList(from: propertyList, format: nil),
            let members = list as? [String: Any], members["trustVersion"] as? Int == 1,
            let entries = members["trustList"] as? [String: Any]
        else { throw Self.invalid("it is no property list of trust settings") }
        for (key, value) in entries {
            guard let members = value as? [String: Any] else { throw Self.invalid("an entry is no dictionary") }
            self.entries[key.uppercased()] = try Entry(members, key: key.uppercased())
        }
    }

    /// The property list of the settings.
    package var propertyList: Data {
        let list: [String: Any] = ["trustVersion": 1, "trustList": entries.mapValues(\.members)]
        // Such a list can always be written.
        return (try? PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)) ?? Data()
    }

    fileprivate static func invalid(_ reason: String) -> KeychainError {
        KeychainError(Status(rawValue: -25262), "these are no trust settings: \(reason)")
    }

    /// Whether bytes are XML, with few enough levels: the parser takes stack for each, and a binary list may contain
    /// itself.
    private static func isFlat(_ data: Data) -> Bool {
        let text = data.drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard text.first == UInt8(ascii: "<") else { return false }
        var level = 0
        var previous: UInt8 = 0
        for byte in text {
            if previous == UInt8(ascii: "<"), byte != UInt8(ascii: "!"), byte != UInt8(ascii: "?") {
                level += byte == UInt8(ascii: "/") ? -1 : 1
            }
            // An element without contents ends itself.
            if previous == UInt8(ascii: "/"), byte == UInt8(ascii: ">") { level -= 1 }
            guard level <= mostLevels else { return false }
            previous = byte
        }
        return true
    }
}

extension TrustSettings.Entry {
    fileprivate init(_ members: [String: Any], key: String) throws(KeychainError) {
        guard let issuer = members["issuerName"] as? Data, let serialNumber = members["serialNumber"] as? Data else {
            throw TrustSettings.invalid("an entry has no issuer or serial number")
        }
        var rules: [TrustSettings.Rule] = []
        for value in members["trustSettings"] as? [Any] ?? [] {
            guard let members = value as? [String: Any] else { throw TrustSettings.invalid("a rule is no dictionary") }
            rules.append(try TrustSettings.Rule(members))
        }
        let certificate = (members["certificate"] as? Data).map { Array($0) }
        if let certificate, TrustSettings.key(of: certificate) != key {
            throw TrustSettings.invalid("an entry has the certificate of another")
        }
        self.init(
            issuer: Array(issuer),
            serialNumber: Array(serialNumber),
            modified: Timestamp(
                secondsSinceReferenceDate: (members["modDate"] as? Date)?.timeIntervalSinceReferenceDate ?? 0
            ),
            rules: rules,
            certificate: certificate
        )
    }

    fileprivate var members: [String: Any] {
        var members: [String: Any] = [
            "issuerName": Data(issuer), "serialNumber": Data(serialNumber),
            "modDate": Date(timeIntervalSinceReferenceDate: modified.secondsSinceReferenceDate.rounded()),
        ]
        if !rules.isEmpty { members["trustSettings"] = rules.map(\.members) }
        if let certificate { members["certificate"] = Data(certificate) }
        return members
    }
}

extension TrustSettings.Rule {
    /// The names of the members, which are those of the dictionaries of Apple's functions as well.
    package enum Key {
        /// The policy.
        package static let policy = "kSecTrustSettingsPolicy"
        /// The policy's name.
        package static let policyName = "kSecTrustSettingsPolicyName"
        /// The host or e-mail address.
        package static let policyString = "kSecTrustSettingsPolicyString"
        /// The program.
        package static let application = "kSecTrustSettingsApplication"
        /// What the key is used for.
        package static let keyUsage = "kSecTrustSettingsKeyUsage"
        /// The error that is passed over.
        package static let allowedError = "kSecTrustSettingsAllowedError"
        /// The decision.
        package static let result = "kSecTrustSettingsResult"
    }

    fileprivate init(_ members: [String: Any]) throws(KeychainError) {
        policy = (members[Key.policy] as? Data).map { Array($0) }
        policyName = members[Key.policyName] as? String
        policyString = members[Key.policyString] as? String
        application = (members[Key.application] as? Data).map { Array($0) }
        keyUsage = (members[Key.keyUsage] as? NSNumber).map { UInt32(truncatingIfNeeded: $0.int64Value) }
        allowedError = (members[Key.allowedError] as? NSNumber).map { Int32(truncatingIfNeeded: $0.int64Value) }
        if let number = members[Key.result] as? NSNumber {
            guard let decision = TrustSettings.Decision(rawValue: Int32(truncatingIfNeeded: number.int64Value)) else {
                throw TrustSettings.invalid("a rule has an unknown result")
            }
            self.decision = decision
        }
    }

    fileprivate var members: [String: Any] {
        var members: [String: Any] = [:]
        members[Key.policy] = policy.map { Data($0) }
        members[Key.policyName] = policyName
        members[Key.policyString] = policyString
        members[Key.application] = application.map { Data($0) }
        members[Key.keyUsage] = keyUsage.map { NSNumber(value: $0) }
        members[Key.allowedError] = allowedError.map { NSNumber(value: $0) }
        members[Key.result] = decision.map { NSNumber(value: $0.rawValue) }
        return members
    }
}
