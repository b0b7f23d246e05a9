// SPDX-License-Identifier: Apache-2.0

/// The dictionary keys and value constants that are not attributes (Semantics, "Constants").
package enum PropertyKey {
    /// `kSecClass`.
    package static let itemClass = "class"

    /// `kSecReturnAttributes`.
    package static let returnAttributes = "r_Attributes"
    /// `kSecReturnData`.
    package static let returnData = "r_Data"
    /// `kSecReturnPersistentRef`.
    package static let returnPersistentReference = "r_PersistentRef"
    /// `kSecReturnRef`.
    package static let returnReference = "r_Ref"

    /// `kSecValueData`.
    package static let valueData = "v_Data"
    /// `kSecValuePersistentRef`.
    package static let valuePersistentReference = "v_PersistentRef"
    /// `kSecValueRef`.
    package static let valueReference = "v_Ref"

    /// `kSecMatchCaseInsensitive`.
    package static let matchCaseInsensitive = "m_CaseInsensitive"
    /// `kSecMatchEmailAddressIfPresent`.
    package static let matchEmailAddressIfPresent = "m_EmailAddressIfPresent"
    /// `kSecMatchHostOrSubdomainOfHost`.
    package static let matchHostOrSubdomainOfHost = "m_HostOrSubdomainOfHost"
    /// `kSecMatchIssuers`.
    package static let matchIssuers = "m_Issuers"
    /// `kSecMatchItemList`.
    package static let matchItemList = "m_ItemList"
    /// `kSecMatchLimit`.
    package static let matchLimit = "m_Limit"
    /// `kSecMatchLimitAll`.
    package static let matchLimitAll = "m_LimitAll"
    /// `kSecMatchLimitOne`.
    package static let matchLimitOne = "m_LimitOne"
    /// `kSecMatchPolicy`.
    package static let matchPolicy = "m_Policy"
    /// `kSecMatchSearchList`.
    package static let matchSearchList = "m_SearchList"
    /// `kSecMatchSubjectContains`.
    package static let matchSubjectContains = "m_SubjectContains"
    /// `kSecMatchSubjectStartsWith`.
    package static let matchSubjectStartsWith = "m_SubjectStartsWith"
    /// `kSecMatchSubjectEndsWith`.
    package static let matchSubjectEndsWith = "m_SubjectEndsWith"
    /// `kSecMatchSubjectWholeString`.
    package static let matchSubjectWholeString = "m_SubjectWholeString"
    /// `kSecMatchDiacriticInsensitive`.
    package static let matchDiacriticInsensitive = "m_DiacriticInsensitive"
    /// `kSecMatchWidthInsensitive`.
    package static let matchWidthInsensitive = "m_WidthInsensitive"
    /// `kSecMatchTrustedOnly`.
    package static let matchTrustedOnly = "m_TrustedOnly"
    /// `kSecMatchValidOnDate`.
    package static let matchValidOnDate = "m_ValidOnDate"

    /// `kSecUseAuthenticationContext`.
    package static let useAuthenticationContext = "u_AuthCtx"
    /// `kSecUseAuthenticationUI`.
    package static let useAuthenticationUI = "u_AuthUI"
    /// `kSecUseAuthenticationUIAllow`.
    package static let useAuthenticationUIAllow = "u_AuthUIA"
    /// `kSecUseAuthenticationUIFail`.
    package static let useAuthenticationUIFail = "u_AuthUIF"
    /// `kSecUseAuthenticationUISkip`.
    package static let useAuthenticationUISkip = "u_AuthUIS"
    /// `kSecUseCredentialReference`.
    package static let useCredentialReference = "u_CredRef"
    /// `kSecUseItemList`.
    package static let useItemList = "u_ItemList"
    /// `kSecUseKeychain`.
    package static let useKeychain = "u_Keychain"
    /// `kSecUseSystemKeychainAlways`, which is private.
    package static let useSystemKeychainAlways = "u_SystemKeychainAlways"
    /// `kSecUseNoAuthenticationUI`.
    package static let useNoAuthenticationUI = "u_NoAuthUI"
    /// `kSecUseOperationPrompt`.
    package static let useOperationPrompt = "u_OpPrompt"
    /// `kSecUseDataProtectionKeychain`: four characters, and yet not an attribute of any class.
    package static let useDataProtectionKeychain = "nleg"

    /// `kSecAttrAccess`: four characters, and an attribute of no class.
    package static let access = "acls"

    /// `kSecAttrSynchronizableAny`.
    package static let synchronizableAny = "syna"
    /// `kSecAttrTokenIDSecureEnclave`.
    package static let tokenSecureEnclave = "com.apple.setoken"
    /// `kSecAttrAccessGroupToken`.
    package static let accessGroupToken = "com.apple.token"
}
