// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTrust

/// Rules of trust settings as dictionaries with the keys `kSecTrustSettings…`.
enum SettingsRules {
    /// The rules of a dictionary, or of an array of them.
    ///
    /// - Throws: `errSecParam` for anything else, including a value of the wrong type; `errSecUnimplemented` for a rule
    ///   about a program.
    static func rules(_ argument: CFTypeRef) throws(KeychainError) -> [TrustSettings.Rule] {
        guard let dictionaries = Members.of(argument, NSDictionary.self) else {
            throw .parameter("trust settings are a dictionary, or an array of dictionaries")
        }
        var rules: [TrustSettings.Rule] = []
        for dictionary in dictionaries { rules.append(try rule(dictionary)) }
        return rules
    }

    /// A rule as a dictionary.
    static func dictionary(_ rule: TrustSettings.Rule) -> NSDictionary {
        let dictionary = NSMutableDictionary()
        func set(_ key: String, _ value: AnyObject?) {
            if let value { dictionary.setObject(value, forKey: NSString(string: key)) }
        }
        let isServer = !(rule.policyName?.hasSuffix("Client") ?? false)
        let policy = rule.policy.flatMap(ObjectIdentifierOctets.text).flatMap {
            CertificatePolicy(objectIdentifier: $0, isServer: isServer, name: nil)
        }
        set(kSecTrustSettingsPolicy, policy.map(SecPolicy.init(_:)))
        set(kSecTrustSettingsPolicyName, rule.policyName.map { NSString(string: $0) })
        set(kSecTrustSettingsPolicyString, rule.policyString.map { NSString(string: $0) })
        set(kSecTrustSettingsKeyUsage, rule.keyUsage.map { NSNumber(value: $0) })
        set(kSecTrustSettingsAllowedError, rule.allowedError.map { NSNumber(value: $0) })
        set(kSecTrustSettingsResult, rule.decision.map { NSNumber(value: $0.rawValue) })
        return dictionary
    }

    private static func rule(_ dictionary: NSDictionary) throws(KeychainError) -> TrustSettings.Rule {
        func value<Value>(_ key: String, _ type: Value.Type) throws(KeychainError) -> Value? {
            guard let object = dictionary.object(forKey: NSString(string: key)) else { return nil }
            guard let value = object as? Value else { throw .parameter("the value of '\(key)' has a wrong type") }
            return value
        }
        guard dictionary.object(forKey: NSString(string: kSecTrustSettingsApplication)) == nil else {
            throw KeychainError(.unimplemented, "trust cannot be limited to a program")
        }
        var rule = TrustSettings.Rule()
        if let policy = try value(kSecTrustSettingsPolicy, SecPolicy.self)?.value {
            rule.policy = ObjectIdentifierOctets.octets(policy.objectIdentifier)
            rule.policyName = policy.settingsName
        }
        rule.policyName = try value(kSecTrustSettingsPolicyName, String.self) ?? rule.policyName
        rule.policyString = try value(kSecTrustSettingsPolicyString, String.self)
        rule.keyUsage = try value(kSecTrustSettingsKeyUsage, NSNumber.self).map {
            UInt32(truncatingIfNeeded: $0.int64Value)
        }
        rule.allowedError = try value(kSecTrustSettingsAllowedError, NSNumber.self).map {
            Int32(truncatingIfNeeded: $0.int64Value)
        }
        if let number = try value(kSecTrustSettingsResult, NSNumber.self) {
            guard let decision = TrustSettings.Decision(rawValue: number.int32Value) else {
                throw .parameter("the value of '\(kSecTrustSettingsResult)' is no result")
            }
            rule.decision = decision
        }
        return rule
    }
}
