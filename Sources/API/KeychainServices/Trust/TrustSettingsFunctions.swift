// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCertificates
import KeychainCore
import KeychainTrust

/// Sets the decision for a certificate, replacing the previous one.
///
/// - Parameters:
///   - certRef: the certificate.
///   - domain: the domain; only root can change the administrator's.
///   - trustSettingsDictOrArray: a dictionary with the keys `kSecTrustSettings…`, or an array of them; `nil`, or an
///     empty array, to trust a self-signed certificate in every case.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else, and for trust that the certificate cannot have: as a
///   root if it is not self-signed; `errSecWrPerm` for a domain that the program may not change.
@discardableResult
public func SecTrustSettingsSetTrustSettings(
    _ certRef: SecCertificate,
    _ domain: SecTrustSettingsDomain,
    _ trustSettingsDictOrArray: CFTypeRef?
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let rules = try trustSettingsDictOrArray.map { (list) throws(KeychainError) in
            try SettingsRules.rules(list)
        }
        try domain.change { (settings) throws(KeychainError) in
            try settings.set(rules ?? [], for: certRef.certificate, at: SecTrust.now)
        }
    }
}

/// The decision for a certificate in a domain.
///
/// - Parameters:
///   - certRef: the certificate.
///   - domain: the domain.
///   - trustSettings: receives an array of dictionaries; an empty one if the certificate is trusted in every case.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if nothing is set.
@discardableResult
public func SecTrustSettingsCopyTrustSettings(
    _ certRef: SecCertificate,
    _ domain: SecTrustSettingsDomain,
    _ trustSettings: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let rules = try domain.entry(for: certRef)?.rules
        guard let rules else { throw KeychainError(.itemNotFound, "there are no trust settings for the certificate") }
        trustSettings.pointee = NSArray(array: rules.map(SettingsRules.dictionary))
    }
}

/// Removes the decision for a certificate.
///
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if nothing is set; `errSecWrPerm` for a domain that the program
///   may not change.
@discardableResult
public func SecTrustSettingsRemoveTrustSettings(
    _ certRef: SecCertificate,
    _ domain: SecTrustSettingsDomain
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        try domain.change { (settings) throws(KeychainError) in try settings.remove(certRef.certificate) }
    }
}

/// The certificates with a decision: in the system domain, its anchors.
///
/// - Parameters:
///   - domain: the domain.
///   - certArray: receives an array of `SecCertificate`.
/// - Returns: `errSecSuccess`; `errSecNoTrustSettings` if nothing is set.
@discardableResult
public func SecTrustSettingsCopyCertificates(
    _ domain: SecTrustSettingsDomain,
    _ certArray: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let certificates: [SecCertificate]
        if let settings = try domain.settings {
            guard !settings.entries.isEmpty else { throw SecTrustSettingsDomain.empty }
            certificates = settings.certificates.map(SecCertificate.init(_:))
        } else {
            certificates = try TrustCall.systemAnchors()
        }
        certArray?.pointee = NSArray(array: certificates)
    }
}

/// The time when the decision for a certificate was changed.
///
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if nothing is set.
@discardableResult
public func SecTrustSettingsCopyModificationDate(
    _ certRef: SecCertificate,
    _ domain: SecTrustSettingsDomain,
    _ modificationDate: UnsafeMutablePointer<CFDate?>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let entry = try domain.entry(for: certRef)
        guard let entry else { throw KeychainError(.itemNotFound, "there are no trust settings for the certificate") }
        modificationDate.pointee = NSDate(
            timeIntervalSinceReferenceDate: entry.modified.secondsSinceReferenceDate
        )
    }
}

/// The settings of a domain as an XML property list, for `SecTrustSettingsImportExternalRepresentation`.
///
/// - Returns: `errSecSuccess`; `errSecNoTrustSettings` if nothing is set, and for the domain of the system.
@discardableResult
public func SecTrustSettingsCreateExternalRepresentation(
    _ domain: SecTrustSettingsDomain,
    _ trustSettings: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let settings = try domain.settings ?? TrustSettings()
        guard !settings.entries.isEmpty else { throw SecTrustSettingsDomain.empty }
        trustSettings.pointee = NSData(data: settings.propertyList)
    }
}

/// Sets the settings of a domain from a property list, replacing all previous ones.
///
/// - Parameters:
///   - domain: the domain.
///   - trustSettings: the list; `nil` for no settings.
/// - Returns: `errSecSuccess`; `errSecInvalidTrustSettings` for an invalid list; `errSecWrPerm` for a domain that the
///   program may not change.
@discardableResult
public func SecTrustSettingsImportExternalRepresentation(
    _ domain: SecTrustSettingsDomain,
    _ trustSettings: CFData?
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let list = trustSettings.map { $0 as Data }
        let imported = try list.map { (list) throws(KeychainError) in try TrustSettings(propertyList: list) }
        try domain.change { (settings) throws(KeychainError) in
            settings = (imported ?? TrustSettings()).replacing(settings)
        }
    }
}

extension SecTrustSettingsDomain {
    static let empty = KeychainError(Status(rawValue: errSecNoTrustSettings), "there are no trust settings")

    private var storeDomain: TrustSettingsStore.Domain? {
        switch self {
        case .user: .user
        case .admin: .admin
        case .system: nil
        }
    }

    /// The settings; `nil` for the system, which has anchors instead.
    var settings: TrustSettings? {
        get throws(KeychainError) {
            guard let storeDomain else { return nil }
            return try KeychainContext.inEffect.trustSettings.settings(storeDomain)
        }
    }

    /// The decision for a certificate; an anchor of the system is trusted in every case.
    func entry(for certificate: SecCertificate) throws(KeychainError) -> TrustSettings.Entry? {
        if let settings = try settings { return settings.entry(for: certificate.certificate) }
        guard try TrustEvaluator.systemAnchors().contains(certificate.certificate.der) else { return nil }
        return TrustSettings.Entry(certificate.certificate, [], modified: .referenceDate)
    }

    func change(_ body: (inout TrustSettings) throws(KeychainError) -> Void) throws(KeychainError) {
        guard let storeDomain else {
            throw KeychainError(Status(rawValue: errSecWrPerm), "the anchors of the system are the distribution's")
        }
        try KeychainContext.inEffect.trustSettings.change(storeDomain, body)
    }
}
