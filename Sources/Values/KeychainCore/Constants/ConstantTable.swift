// SPDX-License-Identifier: Apache-2.0
//
// A table: long on purpose. Names and values are interoperability facts, from Semantics, "Constants".

/// The table of the string constants used in keychain dictionaries.
package enum ConstantTable {
    /// One constant.
    package struct Row: Hashable, Sendable {
        /// The C name, for example `kSecAttrAccount`.
        package var name: String

        /// The string behind the name, for example `acct`; spaces at its end count.
        package var value: String

        /// The purpose of the constant.
        package var group: Group
    }

    /// The purpose of a constant.
    package enum Group: String, CaseIterable, Sendable {
        /// The key `kSecClass` and the item classes, its values.
        case itemClass

        /// Values of `kSecAttrAccessible`.
        case accessibility

        /// Values of `kSecAttrProtocol`.
        case protocolType

        /// Values of `kSecAttrAuthenticationType`.
        case authenticationType

        /// Values of `kSecAttrKeyType`, decimal numerals.
        case keyType

        /// Values of `kSecAttrKeyClass`, decimal numerals.
        case keyClass

        /// Values of `kSecAttrTokenID`, `kSecAttrSynchronizable` and `kSecAttrAccessGroup`.
        case token

        /// Values of `kSecAttrPRF`.
        case pseudoRandomFunction

        /// Keys that narrow a search, and the values of `kSecMatchLimit`.
        case match

        /// Keys that specify what a call returns.
        case returnKey

        /// Keys of an item's data and references.
        case valueKey

        /// Keys that specify how a call works, and the values of `kSecUseAuthenticationUI`.
        case useKey

        /// Keys of item attributes, nearly all of four characters.
        case attribute

        /// Keys of the parameters of key generation.
        case secKey

        /// Keys of the options and results of `SecPKCS12Import`.
        case importExport
    }

    /// Every row, in the order of ``Group``.
    ///
    /// Names are unique, values are not: `kSecAttrCreator` and `kSecAttrKeyCreator` share one, for example.
    package static let rows: [Row] = Group.allCases.flatMap(rows(in:))

    /// Returns the value of the constant with a C name.
    ///
    /// - Complexity: O(1).
    package static func value(named name: String) -> String? {
        valuesByName[name]
    }

    /// Returns the rows of one group.
    package static func rows(in group: Group) -> [Row] {
        names(of: group).map { Row(name: $0.name, value: $0.value, group: group) }
    }

    private static let valuesByName = Dictionary(
        rows.map { ($0.name, $0.value) },
        uniquingKeysWith: { first, _ in first }
    )

    private static func names(of group: Group) -> [Pair] {
        switch group {
        case .itemClass: itemClass
        case .accessibility: accessibility
        case .protocolType: protocolType
        case .authenticationType: authenticationType
        case .keyType: keyType
        case .keyClass: keyClass
        case .token: token
        case .pseudoRandomFunction: pseudoRandomFunction
        case .match: match
        case .returnKey: returnKey
        case .valueKey: valueKey
        case .useKey: useKey
        case .attribute: attribute
        case .secKey: secKey
        case .importExport: importExport
        }
    }

    private struct Pair: Sendable {
        var name: String
        var value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    private static let itemClass: [Pair] = [
        Pair("kSecClass", "class"),
        Pair("kSecClassCertificate", "cert"),
        Pair("kSecClassGenericPassword", "genp"),
        Pair("kSecClassIdentity", "idnt"),
        Pair("kSecClassInternetPassword", "inet"),
        Pair("kSecClassKey", "keys"),
    ]

    private static let accessibility: [Pair] = [
        Pair("kSecAttrAccessibleAfterFirstUnlock", "ck"),
        Pair("kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly", "cku"),
        Pair("kSecAttrAccessibleAlways", "dk"),
        Pair("kSecAttrAccessibleAlwaysThisDeviceOnly", "dku"),
        Pair("kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly", "akpu"),
        Pair("kSecAttrAccessibleWhenUnlocked", "ak"),
        Pair("kSecAttrAccessibleWhenUnlockedThisDeviceOnly", "aku"),
    ]

    private static let protocolType: [Pair] = [
        Pair("kSecAttrProtocolAFP", "afp "),
        Pair("kSecAttrProtocolAppleTalk", "atlk"),
        Pair("kSecAttrProtocolDAAP", "daap"),
        Pair("kSecAttrProtocolEPPC", "eppc"),
        Pair("kSecAttrProtocolFTP", "ftp "),
        Pair("kSecAttrProtocolFTPAccount", "ftpa"),
        Pair("kSecAttrProtocolFTPProxy", "ftpx"),
        Pair("kSecAttrProtocolFTPS", "ftps"),
        Pair("kSecAttrProtocolHTTP", "http"),
        Pair("kSecAttrProtocolHTTPProxy", "htpx"),
        Pair("kSecAttrProtocolHTTPS", "htps"),
        Pair("kSecAttrProtocolHTTPSProxy", "htsx"),
        Pair("kSecAttrProtocolIMAP", "imap"),
        Pair("kSecAttrProtocolIMAPS", "imps"),
        Pair("kSecAttrProtocolIPP", "ipp "),
        Pair("kSecAttrProtocolIRC", "irc "),
        Pair("kSecAttrProtocolIRCS", "ircs"),
        Pair("kSecAttrProtocolLDAP", "ldap"),
        Pair("kSecAttrProtocolLDAPS", "ldps"),
        Pair("kSecAttrProtocolNNTP", "nntp"),
        Pair("kSecAttrProtocolNNTPS", "ntps"),
        Pair("kSecAttrProtocolPOP3", "pop3"),
        Pair("kSecAttrProtocolPOP3S", "pops"),
        Pair("kSecAttrProtocolRTSP", "rtsp"),
        Pair("kSecAttrProtocolRTSPProxy", "rtsx"),
        Pair("kSecAttrProtocolSMB", "smb "),
        Pair("kSecAttrProtocolSMTP", "smtp"),
        Pair("kSecAttrProtocolSOCKS", "sox "),
        Pair("kSecAttrProtocolSSH", "ssh "),
        Pair("kSecAttrProtocolTelnet", "teln"),
        Pair("kSecAttrProtocolTelnetS", "tels"),
    ]

    private static let authenticationType: [Pair] = [
        Pair("kSecAttrAuthenticationTypeDPA", "dpaa"),
        Pair("kSecAttrAuthenticationTypeDefault", "dflt"),
        Pair("kSecAttrAuthenticationTypeHTMLForm", "form"),
        Pair("kSecAttrAuthenticationTypeHTTPBasic", "http"),
        Pair("kSecAttrAuthenticationTypeHTTPDigest", "httd"),
        Pair("kSecAttrAuthenticationTypeMSN", "msna"),
        Pair("kSecAttrAuthenticationTypeNTLM", "ntlm"),
        Pair("kSecAttrAuthenticationTypeRPA", "rpaa"),
    ]

    private static let keyType: [Pair] = [
        Pair("kSecAttrKeyType3DES", "17"),
        Pair("kSecAttrKeyTypeAES", "2147483649"),
        Pair("kSecAttrKeyTypeCAST", "56"),
        Pair("kSecAttrKeyTypeDES", "14"),
        Pair("kSecAttrKeyTypeDSA", "43"),
        Pair("kSecAttrKeyTypeEC", "73"),
        Pair("kSecAttrKeyTypeECDSA", "73"),
        Pair("kSecAttrKeyTypeECSECPrimeRandom", "73"),
        Pair("kSecAttrKeyTypeEd25519", "105"),
        Pair("kSecAttrKeyTypeMLDSA", "111"),
        Pair("kSecAttrKeyTypeMLKEM", "110"),
        Pair("kSecAttrKeyTypeRC2", "23"),
        Pair("kSecAttrKeyTypeRC4", "25"),
        Pair("kSecAttrKeyTypeRSA", "42"),
        Pair("kSecAttrKeyTypeX25519", "106"),
    ]

    private static let keyClass: [Pair] = [
        Pair("kSecAttrKeyClassPrivate", "1"),
        Pair("kSecAttrKeyClassPublic", "0"),
        Pair("kSecAttrKeyClassSymmetric", "2"),
    ]

    private static let token: [Pair] = [
        Pair("kSecAttrAccessGroupToken", "com.apple.token"),
        Pair("kSecAttrSynchronizableAny", "syna"),
        Pair("kSecAttrTokenIDSecureEnclave", "com.apple.setoken"),
    ]

    private static let pseudoRandomFunction: [Pair] = [
        Pair("kSecAttrPRFHmacAlgSHA1", "hsha1"),
        Pair("kSecAttrPRFHmacAlgSHA224", "hsha224"),
        Pair("kSecAttrPRFHmacAlgSHA256", "hsha256"),
        Pair("kSecAttrPRFHmacAlgSHA384", "hsha384"),
        Pair("kSecAttrPRFHmacAlgSHA512", "hsha512"),
    ]

    private static let match: [Pair] = [
        Pair("kSecMatchCaseInsensitive", "m_CaseInsensitive"),
        Pair("kSecMatchDiacriticInsensitive", "m_DiacriticInsensitive"),
        Pair("kSecMatchEmailAddressIfPresent", "m_EmailAddressIfPresent"),
        Pair("kSecMatchHostOrSubdomainOfHost", "m_HostOrSubdomainOfHost"),
        Pair("kSecMatchIssuers", "m_Issuers"),
        Pair("kSecMatchItemList", "m_ItemList"),
        Pair("kSecMatchLimit", "m_Limit"),
        Pair("kSecMatchLimitAll", "m_LimitAll"),
        Pair("kSecMatchLimitOne", "m_LimitOne"),
        Pair("kSecMatchPolicy", "m_Policy"),
        Pair("kSecMatchSearchList", "m_SearchList"),
        Pair("kSecMatchSubjectContains", "m_SubjectContains"),
        Pair("kSecMatchSubjectEndsWith", "m_SubjectEndsWith"),
        Pair("kSecMatchSubjectStartsWith", "m_SubjectStartsWith"),
        Pair("kSecMatchSubjectWholeString", "m_SubjectWholeString"),
        Pair("kSecMatchTrustedOnly", "m_TrustedOnly"),
        Pair("kSecMatchValidOnDate", "m_ValidOnDate"),
        Pair("kSecMatchWidthInsensitive", "m_WidthInsensitive"),
    ]

    private static let returnKey: [Pair] = [
        Pair("kSecReturnAttributes", "r_Attributes"),
        Pair("kSecReturnData", "r_Data"),
        Pair("kSecReturnPersistentRef", "r_PersistentRef"),
        Pair("kSecReturnRef", "r_Ref"),
    ]

    private static let valueKey: [Pair] = [
        Pair("kSecValueData", "v_Data"),
        Pair("kSecValuePersistentRef", "v_PersistentRef"),
        Pair("kSecValueRef", "v_Ref"),
    ]

    private static let useKey: [Pair] = [
        Pair("kSecUseAuthenticationContext", "u_AuthCtx"),
        Pair("kSecUseAuthenticationUI", "u_AuthUI"),
        Pair("kSecUseAuthenticationUIAllow", "u_AuthUIA"),
        Pair("kSecUseAuthenticationUIFail", "u_AuthUIF"),
        Pair("kSecUseAuthenticationUISkip", "u_AuthUIS"),
        Pair("kSecUseCredentialReference", "u_CredRef"),
        Pair("kSecUseDataProtectionKeychain", "nleg"),
        Pair("kSecUseItemList", "u_ItemList"),
        Pair("kSecUseKeychain", "u_Keychain"),
        Pair("kSecUseNoAuthenticationUI", "u_NoAuthUI"),
        Pair("kSecUseOperationPrompt", "u_OpPrompt"),
        Pair("kSecUseUserIndependentKeychain", "u_UserIndependentKeychain"),
    ]

    private static let attribute: [Pair] = [
        Pair("kSecAttrAccess", "acls"),
        Pair("kSecAttrAccessControl", "accc"),
        Pair("kSecAttrAccessGroup", "agrp"),
        Pair("kSecAttrAccessible", "pdmn"),
        Pair("kSecAttrAccount", "acct"),
        Pair("kSecAttrAlias", "alis"),
        Pair("kSecAttrApplicationLabel", "klbl"),
        Pair("kSecAttrApplicationTag", "atag"),
        Pair("kSecAttrAuthenticationType", "atyp"),
        Pair("kSecAttrCanDecrypt", "decr"),
        Pair("kSecAttrCanDerive", "drve"),
        Pair("kSecAttrCanEncrypt", "encr"),
        Pair("kSecAttrCanSign", "sign"),
        Pair("kSecAttrCanSignRecover", "snrc"),
        Pair("kSecAttrCanUnwrap", "unwp"),
        Pair("kSecAttrCanVerify", "vrfy"),
        Pair("kSecAttrCanVerifyRecover", "vyrc"),
        Pair("kSecAttrCanWrap", "wrap"),
        Pair("kSecAttrCertificateEncoding", "cenc"),
        Pair("kSecAttrCertificateType", "ctyp"),
        Pair("kSecAttrComment", "icmt"),
        Pair("kSecAttrCreationDate", "cdat"),
        Pair("kSecAttrCreator", "crtr"),
        Pair("kSecAttrDescription", "desc"),
        Pair("kSecAttrEffectiveKeySize", "esiz"),
        Pair("kSecAttrEndDate", "edat"),
        Pair("kSecAttrGeneric", "gena"),
        Pair("kSecAttrIsExtractable", "extr"),
        Pair("kSecAttrIsInvisible", "invi"),
        Pair("kSecAttrIsModifiable", "modi"),
        Pair("kSecAttrIsNegative", "nega"),
        Pair("kSecAttrIsPermanent", "perm"),
        Pair("kSecAttrIsPrivate", "priv"),
        Pair("kSecAttrIsSensitive", "sens"),
        Pair("kSecAttrIssuer", "issr"),
        Pair("kSecAttrKeyClass", "kcls"),
        Pair("kSecAttrKeyCreator", "crtr"),
        Pair("kSecAttrKeySizeInBits", "bsiz"),
        Pair("kSecAttrKeyType", "type"),
        Pair("kSecAttrLabel", "labl"),
        Pair("kSecAttrModificationDate", "mdat"),
        Pair("kSecAttrPRF", "prf"),
        Pair("kSecAttrPath", "path"),
        Pair("kSecAttrPersistantReference", "persistref"),
        Pair("kSecAttrPersistentReference", "persistref"),
        Pair("kSecAttrPort", "port"),
        Pair("kSecAttrProtocol", "ptcl"),
        Pair("kSecAttrPublicKeyHash", "pkhh"),
        Pair("kSecAttrRounds", "rounds"),
        Pair("kSecAttrSalt", "salt"),
        Pair("kSecAttrSecurityDomain", "sdmn"),
        Pair("kSecAttrSerialNumber", "slnr"),
        Pair("kSecAttrServer", "srvr"),
        Pair("kSecAttrService", "svce"),
        Pair("kSecAttrStartDate", "sdat"),
        Pair("kSecAttrSubject", "subj"),
        Pair("kSecAttrSubjectKeyID", "skid"),
        Pair("kSecAttrSyncViewHint", "vwht"),
        Pair("kSecAttrSynchronizable", "sync"),
        Pair("kSecAttrTokenID", "tkid"),
        Pair("kSecAttrType", "type"),
        Pair("kSecAttrWasAlwaysSensitive", "asen"),
        Pair("kSecAttrWasNeverExtractable", "next"),
    ]

    private static let secKey: [Pair] = [
        Pair("kSecPrivateKeyAttrs", "private"),
        Pair("kSecPublicKeyAttrs", "public"),
    ]

    private static let importExport: [Pair] = [
        Pair("kSecImportExportPassphrase", "passphrase"),
        Pair("kSecImportExportKeychain", "keychain"),
        Pair("kSecImportExportAccess", "access"),
        Pair("kSecImportItemLabel", "label"),
        Pair("kSecImportItemKeyID", "keyid"),
        Pair("kSecImportItemTrust", "trust"),
        Pair("kSecImportItemCertChain", "chain"),
        Pair("kSecImportItemIdentity", "identity"),
        Pair("kSecImportToMemoryOnly", "memory"),
    ]
}
