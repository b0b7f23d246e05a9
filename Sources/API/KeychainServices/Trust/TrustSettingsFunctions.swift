// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCertificates
import KeychainCore
import KeychainTrust

/// Sets what is decided of a certificate, in place of what was set before.
///
/// - Parameters:
///   - certRef: the certificate.
///   - domain: whose settings; those of the administrator only root changes.
///   - trustSettingsDictOrArray: a dictionary with the keys `kSecTrustSettings…`, or an array of them; `nil`, or an
///     empty array, to trust a self-signed certificate in every case.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else, and for trust that the certificate cannot have: as a
///   root when it is not self-signed; `errSecWrPerm` for a domain that the program may not change.
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

/// What is decided of a certificate in a domain.
///
/// - Parameters:
///   - certRef: the certificate.
///   - domain: whose settings.
///   - trustSettings: where an array of dictionaries goes; an empty one where the certificate is trusted in every case.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` when nothing is set.
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

/// Removes what is decided of a certificate.
///
/// - Returns: `errSecSuccess`; `errSecItemNotFound` when nothing is set; `errSecWrPerm` for a domain that the program
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

/// The certificates that something is decided of: in the domain of the system, its anchors.
///
/// - Parameters:
///   - domain: whose settings.
///   - certArray: where an array of `SecCertificate` goes.
/// - Returns: `errSecSuccess`; `errSecNoTrustSettings` when nothing is set.
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

/// When what is decided of a certificate was changed.
///
/// - Returns: `errSecSuccess`; `errSecItemNotFound` when nothing is set.
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
/// - Returns: `errSecSuccess`; `errSecNoTrustSettings` when nothing is set, and for the domain of the system.
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

/// Sets the settings of a domain from a property list, in place of all that were set before.
///
/// - Parameters:
///   - domain: whose settings.
///   - trustSettings: the list; `nil` for no settings.
/// - Returns: `errSecSuccess`; `errSecInvalidTrustSettings` for what is no such list; `errSecWrPerm` for a domain that
///   the program may not change.
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

    /// What is set; `nil` for the system, which has anchors instead.
    var settings: TrustSettings? {
        get throws(KeychainError) {
            guard let storeDomain else { return nil }
            return try KeychainContext.inEffect.trustSettings.settings(storeDomain)
        }
    }

    /// What is set for a certificate; an anchor of the system is trusted in every case.
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
