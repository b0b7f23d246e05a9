// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainKeys

/// Four characters in a number, the first in the highest byte.
public typealias SecKeychainAttrType = UInt32

/// The class of an item of a file-based keychain, as the functions on `SecKeychainItem` name it.
public enum SecItemClass: UInt32, Sendable, Hashable, CaseIterable {
    /// `inet`.
    case internetPasswordItemClass = 0x696E_6574
    /// `genp`.
    case genericPasswordItemClass = 0x6765_6E70
    /// A certificate.
    case certificateItemClass = 0x8000_1000
    /// A public key.
    case publicKeyItemClass = 0x0000_000F
    /// A private key.
    case privateKeyItemClass = 0x0000_0010
    /// A symmetric key.
    case symmetricKeyItemClass = 0x0000_0011

    var itemClass: ItemClass {
        switch self {
        case .internetPasswordItemClass: .internetPassword
        case .genericPasswordItemClass: .genericPassword
        case .certificateItemClass: .certificate
        case .publicKeyItemClass, .privateKeyItemClass, .symmetricKeyItemClass: .key
        }
    }

    /// The class of an item by its attributes.
    init(_ itemClass: ItemClass, _ attributes: [String: PropertyValue]) {
        switch itemClass {
        case .genericPassword: self = .genericPasswordItemClass
        case .internetPassword: self = .internetPasswordItemClass
        case .certificate, .identity: self = .certificateItemClass
        case .key:
            switch attributes[AttributeName.keyClass.description]?.name {
            case KeyClass.public: self = .publicKeyItemClass
            case KeyClass.private: self = .privateKeyItemClass
            default: self = .symmetricKeyItemClass
            }
        }
    }
}

/// The attributes of items of file-based keychains, by their four characters.
public enum SecItemAttr: UInt32, Sendable, Hashable, CaseIterable {
    /// `cdat`.
    case creationDateItemAttr = 0x6364_6174
    /// `mdat`.
    case modDateItemAttr = 0x6D64_6174
    /// `desc`.
    case descriptionItemAttr = 0x6465_7363
    /// `icmt`.
    case commentItemAttr = 0x6963_6D74
    /// `crtr`.
    case creatorItemAttr = 0x6372_7472
    /// `type`.
    case typeItemAttr = 0x7479_7065
    /// `labl`.
    case labelItemAttr = 0x6C61_626C
    /// `invi`.
    case invisibleItemAttr = 0x696E_7669
    /// `nega`.
    case negativeItemAttr = 0x6E65_6761
    /// `acct`.
    case accountItemAttr = 0x6163_6374
    /// `svce`.
    case serviceItemAttr = 0x7376_6365
    /// `gena`.
    case genericItemAttr = 0x6765_6E61
    /// `sdmn`.
    case securityDomainItemAttr = 0x7364_6D6E
    /// `srvr`.
    case serverItemAttr = 0x7372_7672
    /// `atyp`.
    case authenticationTypeItemAttr = 0x6174_7970
    /// `port`.
    case portItemAttr = 0x706F_7274
    /// `path`.
    case pathItemAttr = 0x7061_7468
    /// `ptcl`.
    case protocolItemAttr = 0x7074_636C
}

/// The protocol of an internet password; four characters in a number.
public struct SecProtocolType: RawRepresentable, Sendable, Hashable {
    /// The four characters, the first in the highest byte; 0 for any.
    public let rawValue: UInt32

    /// A protocol by its four characters.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ text: StaticString) { rawValue = AttributeName(stringLiteral: text).code }

    /// Any protocol.
    public static let any = SecProtocolType(rawValue: 0)
    /// HTTP.
    public static let HTTP = SecProtocolType("http")
    /// HTTP over TLS.
    public static let HTTPS = SecProtocolType("htps")
    /// FTP.
    public static let FTP = SecProtocolType("ftp ")
    /// FTP over TLS.
    public static let FTPS = SecProtocolType("ftps")
    /// SSH.
    public static let SSH = SecProtocolType("ssh ")
    /// SMTP.
    public static let SMTP = SecProtocolType("smtp")
    /// IMAP.
    public static let IMAP = SecProtocolType("imap")
    /// IMAP over TLS.
    public static let IMAPS = SecProtocolType("imps")
    /// POP 3.
    public static let POP3 = SecProtocolType("pop3")
    /// POP 3 over TLS.
    public static let POP3S = SecProtocolType("pops")
    /// LDAP.
    public static let LDAP = SecProtocolType("ldap")
    /// LDAP over TLS.
    public static let LDAPS = SecProtocolType("ldps")
    /// SMB.
    public static let SMB = SecProtocolType("smb ")
    /// AFP.
    public static let AFP = SecProtocolType("afp ")
    /// SOCKS.
    public static let SOCKS = SecProtocolType("sox ")
    /// A proxy for HTTP.
    public static let httpProxy = SecProtocolType("htpx")
    /// A proxy for HTTP over TLS.
    public static let httpsProxy = SecProtocolType("htsx")
}

/// How an internet password is used; four characters in a number.
public struct SecAuthenticationType: RawRepresentable, Sendable, Hashable {
    /// The four characters, the first in the highest byte; 0 for any.
    public let rawValue: UInt32

    /// A type by its four characters.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ text: StaticString) { rawValue = AttributeName(stringLiteral: text).code }

    /// Any type.
    public static let any = SecAuthenticationType(rawValue: 0)
    /// The default.
    public static let `default` = SecAuthenticationType("dflt")
    /// Basic authentication of HTTP.
    public static let httpBasic = SecAuthenticationType("http")
    /// Digest authentication of HTTP.
    public static let httpDigest = SecAuthenticationType("httd")
    /// A form in HTML.
    public static let htmlForm = SecAuthenticationType("form")
    /// NTLM.
    public static let NTLM = SecAuthenticationType("ntlm")
    /// MSN.
    public static let MSN = SecAuthenticationType("msna")
    /// DPA.
    public static let DPA = SecAuthenticationType("dpaa")
    /// RPA.
    public static let RPA = SecAuthenticationType("rpaa")
}

extension RawRepresentable where RawValue == UInt32 {
    /// The four characters as an attribute has them; `nil` for any.
    var fourCharacters: PropertyValue? { rawValue == 0 ? nil : .string(AttributeName(code: rawValue).description) }
}
