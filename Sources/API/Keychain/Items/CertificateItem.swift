// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PortableSecurity

/// A certificate that the keychain keeps.
public struct CertificateItem: KeychainItem {
    /// The whole primary key.
    public let key: ItemKey

    /// Creates an item from an issuer and a serial number.
    ///
    /// - Parameters:
    ///   - issuer: the issuer's name as the keychain keeps it: normalized, without the header of its sequence.
    ///   - serialNumber: the content of the serial number.
    ///   - version: the X.509 version, which is part of the key; 0 for a certificate that was added as data only.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - isSynchronizable: whether it is in the set that iCloud Keychain synchronizes.
    public init(
        issuer: Data,
        serialNumber: Data,
        version: Int = 3,
        accessGroup: String? = nil,
        isSynchronizable: Bool = false
    ) {
        let attributes: [String: ItemKey.Value] = [
            kSecAttrIssuer as String: .data(issuer),
            kSecAttrSerialNumber as String: .data(serialNumber),
            kSecAttrCertificateType as String: .number(version),
        ]
        key = ItemKey(.certificate, attributes, accessGroup: accessGroup, isSynchronizable: isSynchronizable)
    }

    /// Creates the item under which a certificate is stored.
    ///
    /// - Parameters:
    ///   - certificate: the certificate.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - isSynchronizable: whether it is in the set that iCloud Keychain synchronizes.
    public init(_ certificate: SecCertificate, accessGroup: String? = nil, isSynchronizable: Bool = false) {
        let issuer = SecCertificateCopyNormalizedIssuerSequence(certificate) as Data? ?? Data()
        self.init(
            issuer: DERElement(issuer)?.content ?? issuer,
            serialNumber: SecCertificateCopySerialNumberData(certificate, nil) as Data? ?? Data(),
            version: DERElement.version(ofCertificate: SecCertificateCopyData(certificate) as Data),
            accessGroup: accessGroup,
            isSynchronizable: isSynchronizable
        )
    }

    /// The certificate of a primary key; `nil` for a key of another class.
    public init?(key: ItemKey) {
        guard key.itemClass == .certificate else { return nil }
        self.key = key
    }

    /// The issuer's name as the keychain keeps it.
    public var issuer: Data { key.attributes[kSecAttrIssuer as String]?.bytes ?? Data() }

    /// The content of the serial number.
    public var serialNumber: Data { key.attributes[kSecAttrSerialNumber as String]?.bytes ?? Data() }
}
