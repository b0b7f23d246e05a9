// SPDX-License-Identifier: Apache-2.0

/// The dictionary keys and value constants that are not attributes (Semantics, "Constants").
public enum PropertyKey {
    /// `kSecClass`.
    public static let itemClass = "class"

    /// `kSecReturnAttributes`.
    public static let returnAttributes = "r_Attributes"
    /// `kSecReturnData`.
    public static let returnData = "r_Data"
    /// `kSecReturnPersistentRef`.
    public static let returnPersistentReference = "r_PersistentRef"
    /// `kSecReturnRef`.
    public static let returnReference = "r_Ref"

    /// `kSecValueData`.
    public static let valueData = "v_Data"
    /// `kSecValuePersistentRef`.
    public static let valuePersistentReference = "v_PersistentRef"
    /// `kSecValueRef`.
    public static let valueReference = "v_Ref"

    /// `kSecMatchCaseInsensitive`.
    public static let matchCaseInsensitive = "m_CaseInsensitive"
    /// `kSecMatchEmailAddressIfPresent`.
    public static let matchEmailAddressIfPresent = "m_EmailAddressIfPresent"
    /// `kSecMatchHostOrSubdomainOfHost`.
    public static let matchHostOrSubdomainOfHost = "m_HostOrSubdomainOfHost"
    /// `kSecMatchIssuers`.
    public static let matchIssuers = "m_Issuers"
    /// `kSecMatchItemList`.
    public static let matchItemList = "m_ItemList"
    /// `kSecMatchLimit`.
    public static let matchLimit = "m_Limit"
    /// `kSecMatchLimitAll`.
    public static let matchLimitAll = "m_LimitAll"
    /// `kSecMatchLimitOne`.
    public static let matchLimitOne = "m_LimitOne"
    /// `kSecMatchPolicy`.
    public static let matchPolicy = "m_Policy"
    /// `kSecMatchSearchList`.
    public static let matchSearchList = "m_SearchList"
    /// `kSecMatchSubjectContains`.
    public static let matchSubjectContains = "m_SubjectContains"
    /// `kSecMatchSubjectStartsWith`.
    public static let matchSubjectStartsWith = "m_SubjectStartsWith"
    /// `kSecMatchSubjectEndsWith`.
    public static let matchSubjectEndsWith = "m_SubjectEndsWith"
    /// `kSecMatchSubjectWholeString`.
    public static let matchSubjectWholeString = "m_SubjectWholeString"
    /// `kSecMatchDiacriticInsensitive`.
    public static let matchDiacriticInsensitive = "m_DiacriticInsensitive"
    /// `kSecMatchWidthInsensitive`.
    public static let matchWidthInsensitive = "m_WidthInsensitive"
    /// `kSecMatchTrustedOnly`.
    public static let matchTrustedOnly = "m_TrustedOnly"
    /// `kSecMatchValidOnDate`.
    public static let matchValidOnDate = "m_ValidOnDate"

    /// `kSecUseAuthenticationContext`.
    public static let useAuthenticationContext = "u_AuthCtx"
    /// `kSecUseAuthenticationUI`.
    public static let useAuthenticationUI = "u_AuthUI"
    /// `kSecUseAuthenticationUIAllow`.
    public static let useAuthenticationUIAllow = "u_AuthUIA"
    /// `kSecUseAuthenticationUIFail`.
    public static let useAuthenticationUIFail = "u_AuthUIF"
    /// `kSecUseAuthenticationUISkip`.
    public static let useAuthenticationUISkip = "u_AuthUIS"
    /// `kSecUseCredentialReference`.
    public static let useCredentialReference = "u_CredRef"
    /// `kSecUseItemList`.
    public static let useItemList = "u_ItemList"
    /// `kSecUseKeychain`.
    public static let useKeychain = "u_Keychain"
    /// `kSecUseSystemKeychainAlways`, which is private.
    public static let useSystemKeychainAlways = "u_SystemKeychainAlways"
    /// `kSecUseNoAuthenticationUI`.
    public static let useNoAuthenticationUI = "u_NoAuthUI"
    /// `kSecUseOperationPrompt`.
    public static let useOperationPrompt = "u_OpPrompt"
    /// `kSecUseDataProtectionKeychain`: four characters, and yet not an attribute of any class.
    public static let useDataProtectionKeychain = "nleg"

    /// `kSecAttrAccess`: four characters, and an attribute of no class.
    public static let access = "acls"

    /// `kSecAttrSynchronizableAny`.
    public static let synchronizableAny = "syna"
    /// `kSecAttrTokenIDSecureEnclave`.
    public static let tokenSecureEnclave = "com.apple.setoken"
    /// `kSecAttrAccessGroupToken`.
    public static let accessGroupToken = "com.apple.token"
}
