// SPDX-License-Identifier: Apache-2.0

import Foundation
import PortableSecurity

/// The primary key attributes of each class besides access group and synchronizability, and the values that an add
/// stores if they are omitted (Semantics, "Attributes of each class").
enum PrimaryKeyTable {
    struct Column {
        /// The name in dictionaries.
        let name: String
        /// The name in sentences.
        let title: String
        /// The value that is stored if an add omits the attribute.
        let value: ItemKey.Value

        /// The value that the keychain compares: in a number column, a numeral is its number.
        func stored(_ given: ItemKey.Value) -> ItemKey.Value {
            guard case .number = value, case .text(let text) = given, let number = Int(text) else { return given }
            return .number(number)
        }
    }

    static func columns(of itemClass: ItemKey.Class) -> [Column] {
        switch itemClass {
        case .genericPassword: genericPassword
        case .internetPassword: internetPassword
        case .key: key
        case .certificate: certificate
        }
    }

    /// Attributes of the key that an item may be without.
    static func optionalNames(of itemClass: ItemKey.Class) -> Set<String> { itemClass == .key ? [tokenID] : [] }

    static let tokenID = kSecAttrTokenID as String

    private static func column(_ name: CFString, title: String, value: ItemKey.Value) -> Column {
        Column(name: name as String, title: title, value: value)
    }

    private static let genericPassword = [
        column(kSecAttrService, title: "service", value: .text("")),
        column(kSecAttrAccount, title: "account", value: .text("")),
    ]

    private static let internetPassword = [
        column(kSecAttrServer, title: "server", value: .text("")),
        column(kSecAttrAccount, title: "account", value: .text("")),
        column(kSecAttrSecurityDomain, title: "security domain", value: .text("")),
        column(kSecAttrProtocol, title: "protocol", value: .number(0)),
        column(kSecAttrAuthenticationType, title: "authentication type", value: .text("")),
        column(kSecAttrPort, title: "port", value: .number(0)),
        column(kSecAttrPath, title: "path", value: .text("")),
    ]

    private static let certificate = [
        column(kSecAttrCertificateType, title: "version", value: .number(0)),
        column(kSecAttrIssuer, title: "issuer", value: .data(Data())),
        column(kSecAttrSerialNumber, title: "serial number", value: .data(Data())),
    ]

    private static let noDate = ItemKey.Value.date(Date(timeIntervalSinceReferenceDate: 0))

    private static let key = [
        column(kSecAttrApplicationTag, title: "application tag", value: .text("")),
        column(kSecAttrApplicationLabel, title: "application label", value: .data(Data())),
        column(kSecAttrKeyClass, title: "class", value: .number(0)),
        column(kSecAttrKeyType, title: "type", value: .number(0)),
        column(kSecAttrKeySizeInBits, title: "size", value: .number(0)),
        column(kSecAttrEffectiveKeySize, title: "effective size", value: .number(0)),
        // On keys the creator's short name is that of kSecAttrKeyCreator, which is not public.
        column(kSecAttrCreator, title: "creator", value: .number(0)),
        Column(name: "sdat", title: "start date", value: noDate),
        Column(name: "edat", title: "end date", value: noDate),
    ]
}
