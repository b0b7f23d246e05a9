// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PortableSecurity

extension ItemSelection where Item == GenericPassword {
    /// Every generic password of a service.
    public static func all(ofService service: String) -> Self {
        Self(.genericPassword, [kSecAttrService as String: .text(service)])
    }

    /// Every generic password that the app may use.
    public static var everyGenericPassword: Self { Self(.genericPassword, [:]) }
}

extension ItemSelection where Item == InternetPassword {
    /// Every password for a server.
    public static func all(ofServer server: String) -> Self {
        Self(.internetPassword, [kSecAttrServer as String: .text(server)])
    }

    /// Every internet password that the app may use.
    public static var everyInternetPassword: Self { Self(.internetPassword, [:]) }
}

extension ItemSelection where Item == KeyItem {
    /// Every key with an application tag.
    public static func all(withTag tag: String) -> Self {
        Self(.key, [kSecAttrApplicationTag as String: .data(Data(tag.utf8))])
    }

    /// Every key with an application label: both halves of a pair.
    public static func all(withLabel applicationLabel: Data) -> Self {
        Self(.key, [kSecAttrApplicationLabel as String: .data(applicationLabel)])
    }

    /// Every key that the app may use.
    public static var everyKey: Self { Self(.key, [:]) }
}

extension ItemSelection where Item == CertificateItem {
    /// Every certificate of an issuer, by the DER of its name.
    public static func all(issuedBy issuer: Data) -> Self {
        Self(.certificate, [kSecAttrIssuer as String: .data(issuer)])
    }

    /// Every certificate that the app may use.
    public static var everyCertificate: Self { Self(.certificate, [:]) }
}
