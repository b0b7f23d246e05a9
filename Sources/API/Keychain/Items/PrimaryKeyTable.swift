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

    private static func column(_ name: CFString, _ title: String, _ value: ItemKey.Value) -> Column {
        Column(name: name as String, title: title, value: value)
    }

    private static let genericPassword = [
        column(kSecAttrService, "service", .text("")),
        column(kSecAttrAccount, "account", .text("")),
    ]

    private static let internetPassword = [
        column(kSecAttrServer, "server", .text("")),
        column(kSecAttrAccount, "account", .text("")),
        column(kSecAttrSecurityDomain, "security domain", .text("")),
        column(kSecAttrProtocol, "protocol", .number(0)),
        column(kSecAttrAuthenticationType, "authentication type", .text("")),
        column(kSecAttrPort, "port", .number(0)),
        column(kSecAttrPath, "path", .text("")),
    ]

    private static let certificate = [
        column(kSecAttrCertificateType, "version", .number(0)),
        column(kSecAttrIssuer, "issuer", .data(Data())),
        column(kSecAttrSerialNumber, "serial number", .data(Data())),
    ]

    private static let noDate = ItemKey.Value.date(Date(timeIntervalSinceReferenceDate: 0))

    private static let key = [
        column(kSecAttrApplicationTag, "application tag", .text("")),
        column(kSecAttrApplicationLabel, "application label", .data(Data())),
        column(kSecAttrKeyClass, "class", .number(0)),
        column(kSecAttrKeyType, "type", .number(0)),
        column(kSecAttrKeySizeInBits, "size", .number(0)),
        column(kSecAttrEffectiveKeySize, "effective size", .number(0)),
        // On keys the creator's short name is that of kSecAttrKeyCreator, which is not public.
        column(kSecAttrCreator, "creator", .number(0)),
        Column(name: "sdat", title: "start date", value: noDate),
        Column(name: "edat", title: "end date", value: noDate),
    ]
}
