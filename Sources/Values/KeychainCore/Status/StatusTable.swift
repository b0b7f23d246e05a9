// SPDX-License-Identifier: Apache-2.0
//
// A table: long on purpose. Names, numbers and messages are interoperability facts: Apple's documented OSStatus list
// (SecBase.h, where the comment of a code is its message); Semantics, "Error mapping" decides where it has the row.

/// The table of the Security framework's result codes.
package enum StatusTable {
    /// One result code.
    package struct Row: Hashable, Sendable {
        /// The C name, for example `errSecItemNotFound`.
        package var name: String

        /// The number.
        package var code: Int32

        /// The text that `SecCopyErrorMessageString` returns, or nil if the code has none.
        package var message: String?

        /// Whether Apple's public headers declare the code.
        package var isPublic: Bool

        fileprivate init(_ name: String, _ code: Int32, message: String?, isPublic: Bool = true) {
            self.name = name
            self.code = code
            self.message = message
            self.isPublic = isPublic
        }
    }

    /// Every row, the code's preferred name before its misspelt aliases.
    ///
    /// Names are unique. Three codes occur twice, as they do in Apple's header, which keeps `errSecDskFull`,
    /// `errSecInvaldCRLAuthority` and `errSecInvalidTupleCredendtials` for old callers.
    package static let rows: [Row] = general + keychain + module + nonpublic

    /// Returns the row of a code, under its preferred name.
    ///
    /// - Complexity: O(1).
    package static func row(code: Int32) -> Row? {
        rowsByCode[code]
    }

    /// Returns the row with a C name.
    ///
    /// - Complexity: O(1).
    package static func row(named name: String) -> Row? {
        rowsByName[name]
    }

    private static let rowsByCode = Dictionary(rows.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
    private static let rowsByName = Dictionary(rows.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// Codes shared with the system, and those about entitlements.
    private static let general: [Row] = [
        Row("errSecSuccess", 0, message: "No error."),
        Row("errSecUnimplemented", -4, message: "Function or operation not implemented."),
        Row("errSecDiskFull", -34, message: "The disk is full."),
        Row("errSecDskFull", -34, message: "The disk is full."),
        Row("errSecIO", -36, message: "I/O error."),
        Row("errSecOpWr", -49, message: "File already open with write permission."),
        Row("errSecParam", -50, message: "One or more parameters passed to a function were not valid."),
        Row("errSecWrPerm", -61, message: "Write permissions error."),
        Row("errSecAllocate", -108, message: "Failed to allocate memory."),
        Row("errSecUserCanceled", -128, message: "User canceled the operation."),
        Row("errSecBadReq", -909, message: "Bad parameter or invalid state for operation."),
        Row("errSecInternalComponent", -2070, message: nil),
        Row("errSecCoreFoundationUnknown", -4960, message: nil),
        Row("errSecMissingEntitlement", -34018, message: "A required entitlement isn't present."),
        Row(
            "errSecRestrictedAPI",
            -34020,
            message: "Client is restricted and is not permitted to perform this operation."
        ),
    ]

    /// Codes of keychains, items, trust settings, import and export.
    private static let keychain: [Row] = [
        Row("errSecNotAvailable", -25291, message: "No keychain is available. You may need to restart your computer."),
        Row("errSecReadOnly", -25292, message: "This keychain cannot be modified."),
        Row("errSecAuthFailed", -25293, message: "The user name or passphrase you entered is not correct."),
        Row("errSecNoSuchKeychain", -25294, message: "The specified keychain could not be found."),
        Row("errSecInvalidKeychain", -25295, message: "The specified keychain is not a valid keychain file."),
        Row("errSecDuplicateKeychain", -25296, message: "A keychain with the same name already exists."),
        Row("errSecDuplicateCallback", -25297, message: "The specified callback function is already installed."),
        Row("errSecInvalidCallback", -25298, message: "The specified callback function is not valid."),
        Row("errSecDuplicateItem", -25299, message: "The specified item already exists in the keychain."),
        Row("errSecItemNotFound", -25300, message: "The specified item could not be found in the keychain."),
        Row("errSecBufferTooSmall", -25301, message: "There is not enough memory available to use the specified item."),
        Row(
            "errSecDataTooLarge",
            -25302,
            message: "This item contains information which is too large or in a format that cannot be displayed."
        ),
        Row("errSecNoSuchAttr", -25303, message: "The specified attribute does not exist."),
        Row(
            "errSecInvalidItemRef",
            -25304,
            message: "The specified item is no longer valid. It may have been deleted from the keychain."
        ),
        Row("errSecInvalidSearchRef", -25305, message: "Unable to search the current keychain."),
        Row("errSecNoSuchClass", -25306, message: "The specified item does not appear to be a valid keychain item."),
        Row("errSecNoDefaultKeychain", -25307, message: "A default keychain could not be found."),
        Row("errSecInteractionNotAllowed", -25308, message: "User interaction is not allowed."),
        Row("errSecReadOnlyAttr", -25309, message: "The specified attribute could not be modified."),
        Row(
            "errSecWrongSecVersion",
            -25310,
            message: "This keychain was created by a different version of the system software and cannot be opened."
        ),
        Row(
            "errSecKeySizeNotAllowed",
            -25311,
            message: "This item specifies a key size which is too large or too small."
        ),
        Row(
            "errSecNoStorageModule",
            -25312,
            message:
                "A required component (data storage module) could not be loaded. You may need to restart your computer."
        ),
        Row(
            "errSecNoCertificateModule",
            -25313,
            message:
                "A required component (certificate module) could not be loaded. You may need to restart your computer."
        ),
        Row(
            "errSecNoPolicyModule",
            -25314,
            message: "A required component (policy module) could not be loaded. You may need to restart your computer."
        ),
        Row(
            "errSecInteractionRequired",
            -25315,
            message: "User interaction is required, but is currently not allowed."
        ),
        Row("errSecDataNotAvailable", -25316, message: "The contents of this item cannot be retrieved."),
        Row("errSecDataNotModifiable", -25317, message: "The contents of this item cannot be modified."),
        Row(
            "errSecCreateChainFailed",
            -25318,
            message: "One or more certificates required to validate this certificate cannot be found."
        ),
        Row("errSecInvalidPrefsDomain", -25319, message: "The specified preferences domain is not valid."),
        Row("errSecInDarkWake", -25320, message: "In dark wake, no UI possible"),
        Row(
            "errSecACLNotSimple",
            -25240,
            message: "The specified access control list is not in standard (simple) form."
        ),
        Row("errSecPolicyNotFound", -25241, message: "The specified policy cannot be found."),
        Row("errSecInvalidTrustSetting", -25242, message: "The specified trust setting is invalid."),
        Row("errSecNoAccessForItem", -25243, message: "The specified item has no access control."),
        Row("errSecInvalidOwnerEdit", -25244, message: "Invalid attempt to change the owner of this item."),
        Row("errSecTrustNotAvailable", -25245, message: "No trust results are available."),
        Row("errSecUnsupportedFormat", -25256, message: "Import/Export format unsupported."),
        Row("errSecUnknownFormat", -25257, message: "Unknown format in import."),
        Row("errSecKeyIsSensitive", -25258, message: "Key material must be wrapped for export."),
        Row("errSecMultiplePrivKeys", -25259, message: "An attempt was made to import multiple private keys."),
        Row("errSecPassphraseRequired", -25260, message: "Passphrase is required for import/export."),
        Row("errSecInvalidPasswordRef", -25261, message: "The password reference was invalid."),
        Row("errSecInvalidTrustSettings", -25262, message: "The Trust Settings Record was corrupted."),
        Row("errSecNoTrustSettings", -25263, message: "No Trust Settings were found."),
        Row(
            "errSecPkcs12VerifyFailure",
            -25264,
            message: "MAC verification failed during PKCS12 import (wrong password?)"
        ),
        Row("errSecNotSigner", -26267, message: "A certificate was not signed by its proposed parent."),
        Row("errSecDecode", -26275, message: "Unable to decode the provided data."),
    ]

    /// Codes of the older module interface: certificates, keys, databases, time stamps.
    private static let module: [Row] = [
        Row("errSecServiceNotAvailable", -67585, message: "The required service is not available."),
        Row("errSecInsufficientClientID", -67586, message: "The client ID is not correct."),
        Row("errSecDeviceReset", -67587, message: "A device reset has occurred."),
        Row("errSecDeviceFailed", -67588, message: "A device failure has occurred."),
        Row("errSecAppleAddAppACLSubject", -67589, message: "Adding an application ACL subject failed."),
        Row("errSecApplePublicKeyIncomplete", -67590, message: "The public key is incomplete."),
        Row("errSecAppleSignatureMismatch", -67591, message: "A signature mismatch has occurred."),
        Row("errSecAppleInvalidKeyStartDate", -67592, message: "The specified key has an invalid start date."),
        Row("errSecAppleInvalidKeyEndDate", -67593, message: "The specified key has an invalid end date."),
        Row("errSecConversionError", -67594, message: "A conversion error has occurred."),
        Row("errSecAppleSSLv2Rollback", -67595, message: "A SSLv2 rollback error has occurred."),
        Row("errSecQuotaExceeded", -67596, message: "The quota was exceeded."),
        Row("errSecFileTooBig", -67597, message: "The file is too big."),
        Row("errSecInvalidDatabaseBlob", -67598, message: "The specified database has an invalid blob."),
        Row("errSecInvalidKeyBlob", -67599, message: "The specified database has an invalid key blob."),
        Row("errSecIncompatibleDatabaseBlob", -67600, message: "The specified database has an incompatible blob."),
        Row("errSecIncompatibleKeyBlob", -67601, message: "The specified database has an incompatible key blob."),
        Row("errSecHostNameMismatch", -67602, message: "A host name mismatch has occurred."),
        Row("errSecUnknownCriticalExtensionFlag", -67603, message: "There is an unknown critical extension flag."),
        Row("errSecNoBasicConstraints", -67604, message: "No basic constraints were found."),
        Row("errSecNoBasicConstraintsCA", -67605, message: "No basic CA constraints were found."),
        Row("errSecInvalidAuthorityKeyID", -67606, message: "The authority key ID is not valid."),
        Row("errSecInvalidSubjectKeyID", -67607, message: "The subject key ID is not valid."),
        Row("errSecInvalidKeyUsageForPolicy", -67608, message: "The key usage is not valid for the specified policy."),
        Row("errSecInvalidExtendedKeyUsage", -67609, message: "The extended key usage is not valid."),
        Row("errSecInvalidIDLinkage", -67610, message: "The ID linkage is not valid."),
        Row("errSecPathLengthConstraintExceeded", -67611, message: "The path length constraint was exceeded."),
        Row("errSecInvalidRoot", -67612, message: "The root or anchor certificate is not valid."),
        Row("errSecCRLExpired", -67613, message: "The CRL has expired."),
        Row("errSecCRLNotValidYet", -67614, message: "The CRL is not yet valid."),
        Row("errSecCRLNotFound", -67615, message: "The CRL was not found."),
        Row("errSecCRLServerDown", -67616, message: "The CRL server is down."),
        Row("errSecCRLBadURI", -67617, message: "The CRL has a bad Uniform Resource Identifier."),
        Row("errSecUnknownCertExtension", -67618, message: "An unknown certificate extension was encountered."),
        Row("errSecUnknownCRLExtension", -67619, message: "An unknown CRL extension was encountered."),
        Row("errSecCRLNotTrusted", -67620, message: "The CRL is not trusted."),
        Row("errSecCRLPolicyFailed", -67621, message: "The CRL policy failed."),
        Row("errSecIDPFailure", -67622, message: "The issuing distribution point was not valid."),
        Row("errSecSMIMEEmailAddressesNotFound", -67623, message: "An email address mismatch was encountered."),
        Row(
            "errSecSMIMEBadExtendedKeyUsage",
            -67624,
            message: "The appropriate extended key usage for SMIME was not found."
        ),
        Row("errSecSMIMEBadKeyUsage", -67625, message: "The key usage is not compatible with SMIME."),
        Row("errSecSMIMEKeyUsageNotCritical", -67626, message: "The key usage extension is not marked as critical."),
        Row("errSecSMIMENoEmailAddress", -67627, message: "No email address was found in the certificate."),
        Row(
            "errSecSMIMESubjAltNameNotCritical",
            -67628,
            message: "The subject alternative name extension is not marked as critical."
        ),
        Row(
            "errSecSSLBadExtendedKeyUsage",
            -67629,
            message: "The appropriate extended key usage for SSL was not found."
        ),
        Row("errSecOCSPBadResponse", -67630, message: "The OCSP response was incorrect or could not be parsed."),
        Row("errSecOCSPBadRequest", -67631, message: "The OCSP request was incorrect or could not be parsed."),
        Row("errSecOCSPUnavailable", -67632, message: "OCSP service is unavailable."),
        Row("errSecOCSPStatusUnrecognized", -67633, message: "The OCSP server did not recognize this certificate."),
        Row("errSecEndOfData", -67634, message: "An end-of-data was detected."),
        Row(
            "errSecIncompleteCertRevocationCheck",
            -67635,
            message: "An incomplete certificate revocation check occurred."
        ),
        Row("errSecNetworkFailure", -67636, message: "A network failure occurred."),
        Row(
            "errSecOCSPNotTrustedToAnchor",
            -67637,
            message: "The OCSP response was not trusted to a root or anchor certificate."
        ),
        Row("errSecRecordModified", -67638, message: "The record was modified."),
        Row("errSecOCSPSignatureError", -67639, message: "The OCSP response had an invalid signature."),
        Row("errSecOCSPNoSigner", -67640, message: "The OCSP response had no signer."),
        Row("errSecOCSPResponderMalformedReq", -67641, message: "The OCSP responder was given a malformed request."),
        Row("errSecOCSPResponderInternalError", -67642, message: "The OCSP responder encountered an internal error."),
        Row("errSecOCSPResponderTryLater", -67643, message: "The OCSP responder is busy, try again later."),
        Row("errSecOCSPResponderSignatureRequired", -67644, message: "The OCSP responder requires a signature."),
        Row(
            "errSecOCSPResponderUnauthorized",
            -67645,
            message: "The OCSP responder rejected this request as unauthorized."
        ),
        Row("errSecOCSPResponseNonceMismatch", -67646, message: "The OCSP response nonce did not match the request."),
        Row(
            "errSecCodeSigningBadCertChainLength",
            -67647,
            message: "Code signing encountered an incorrect certificate chain length."
        ),
        Row("errSecCodeSigningNoBasicConstraints", -67648, message: "Code signing found no basic constraints."),
        Row(
            "errSecCodeSigningBadPathLengthConstraint",
            -67649,
            message: "Code signing encountered an incorrect path length constraint."
        ),
        Row("errSecCodeSigningNoExtendedKeyUsage", -67650, message: "Code signing found no extended key usage."),
        Row(
            "errSecCodeSigningDevelopment",
            -67651,
            message: "Code signing indicated use of a development-only certificate."
        ),
        Row(
            "errSecResourceSignBadCertChainLength",
            -67652,
            message: "Resource signing has encountered an incorrect certificate chain length."
        ),
        Row(
            "errSecResourceSignBadExtKeyUsage",
            -67653,
            message: "Resource signing has encountered an error in the extended key usage."
        ),
        Row("errSecTrustSettingDeny", -67654, message: "The trust setting for this policy was set to Deny."),
        Row("errSecInvalidSubjectName", -67655, message: "An invalid certificate subject name was encountered."),
        Row(
            "errSecUnknownQualifiedCertStatement",
            -67656,
            message: "An unknown qualified certificate statement was encountered."
        ),
        Row("errSecMobileMeRequestQueued", -67657, message: nil),
        Row("errSecMobileMeRequestRedirected", -67658, message: nil),
        Row("errSecMobileMeServerError", -67659, message: nil),
        Row("errSecMobileMeServerNotAvailable", -67660, message: nil),
        Row("errSecMobileMeServerAlreadyExists", -67661, message: nil),
        Row("errSecMobileMeServerServiceErr", -67662, message: nil),
        Row("errSecMobileMeRequestAlreadyPending", -67663, message: nil),
        Row("errSecMobileMeNoRequestPending", -67664, message: nil),
        Row("errSecMobileMeCSRVerifyFailure", -67665, message: nil),
        Row("errSecMobileMeFailedConsistencyCheck", -67666, message: nil),
        Row("errSecNotInitialized", -67667, message: "A function was called without initializing CSSM."),
        Row("errSecInvalidHandleUsage", -67668, message: "The CSSM handle does not match with the service type."),
        Row(
            "errSecPVCReferentNotFound",
            -67669,
            message: "A reference to the calling module was not found in the list of authorized callers."
        ),
        Row("errSecFunctionIntegrityFail", -67670, message: "A function address was not within the verified module."),
        Row("errSecInternalError", -67671, message: "An internal error has occurred."),
        Row("errSecMemoryError", -67672, message: "A memory error has occurred."),
        Row("errSecInvalidData", -67673, message: "Invalid data was encountered."),
        Row("errSecMDSError", -67674, message: "A Module Directory Service error has occurred."),
        Row("errSecInvalidPointer", -67675, message: "An invalid pointer was encountered."),
        Row("errSecSelfCheckFailed", -67676, message: "Self-check has failed."),
        Row("errSecFunctionFailed", -67677, message: "A function has failed."),
        Row(
            "errSecModuleManifestVerifyFailed",
            -67678,
            message: "A module manifest verification failure has occurred."
        ),
        Row("errSecInvalidGUID", -67679, message: "An invalid GUID was encountered."),
        Row("errSecInvalidHandle", -67680, message: "An invalid handle was encountered."),
        Row("errSecInvalidDBList", -67681, message: "An invalid DB list was encountered."),
        Row("errSecInvalidPassthroughID", -67682, message: "An invalid passthrough ID was encountered."),
        Row("errSecInvalidNetworkAddress", -67683, message: "An invalid network address was encountered."),
        Row("errSecCRLAlreadySigned", -67684, message: "The certificate revocation list is already signed."),
        Row("errSecInvalidNumberOfFields", -67685, message: "An invalid number of fields were encountered."),
        Row("errSecVerificationFailure", -67686, message: "A verification failure occurred."),
        Row("errSecUnknownTag", -67687, message: "An unknown tag was encountered."),
        Row("errSecInvalidSignature", -67688, message: "An invalid signature was encountered."),
        Row("errSecInvalidName", -67689, message: "An invalid name was encountered."),
        Row("errSecInvalidCertificateRef", -67690, message: "An invalid certificate reference was encountered."),
        Row("errSecInvalidCertificateGroup", -67691, message: "An invalid certificate group was encountered."),
        Row("errSecTagNotFound", -67692, message: "The specified tag was not found."),
        Row("errSecInvalidQuery", -67693, message: "The specified query was not valid."),
        Row("errSecInvalidValue", -67694, message: "An invalid value was detected."),
        Row("errSecCallbackFailed", -67695, message: "A callback has failed."),
        Row("errSecACLDeleteFailed", -67696, message: "An ACL delete operation has failed."),
        Row("errSecACLReplaceFailed", -67697, message: "An ACL replace operation has failed."),
        Row("errSecACLAddFailed", -67698, message: "An ACL add operation has failed."),
        Row("errSecACLChangeFailed", -67699, message: "An ACL change operation has failed."),
        Row("errSecInvalidAccessCredentials", -67700, message: "Invalid access credentials were encountered."),
        Row("errSecInvalidRecord", -67701, message: "An invalid record was encountered."),
        Row("errSecInvalidACL", -67702, message: "An invalid ACL was encountered."),
        Row("errSecInvalidSampleValue", -67703, message: "An invalid sample value was encountered."),
        Row("errSecIncompatibleVersion", -67704, message: "An incompatible version was encountered."),
        Row("errSecPrivilegeNotGranted", -67705, message: "The privilege was not granted."),
        Row("errSecInvalidScope", -67706, message: "An invalid scope was encountered."),
        Row("errSecPVCAlreadyConfigured", -67707, message: "The PVC is already configured."),
        Row("errSecInvalidPVC", -67708, message: "An invalid PVC was encountered."),
        Row("errSecEMMLoadFailed", -67709, message: "The EMM load has failed."),
        Row("errSecEMMUnloadFailed", -67710, message: "The EMM unload has failed."),
        Row("errSecAddinLoadFailed", -67711, message: "The add-in load operation has failed."),
        Row("errSecInvalidKeyRef", -67712, message: "An invalid key was encountered."),
        Row("errSecInvalidKeyHierarchy", -67713, message: "An invalid key hierarchy was encountered."),
        Row("errSecAddinUnloadFailed", -67714, message: "The add-in unload operation has failed."),
        Row("errSecLibraryReferenceNotFound", -67715, message: "A library reference was not found."),
        Row("errSecInvalidAddinFunctionTable", -67716, message: "An invalid add-in function table was encountered."),
        Row("errSecInvalidServiceMask", -67717, message: "An invalid service mask was encountered."),
        Row("errSecModuleNotLoaded", -67718, message: "A module was not loaded."),
        Row("errSecInvalidSubServiceID", -67719, message: "An invalid subservice ID was encountered."),
        Row("errSecAttributeNotInContext", -67720, message: "An attribute was not in the context."),
        Row("errSecModuleManagerInitializeFailed", -67721, message: "A module failed to initialize."),
        Row("errSecModuleManagerNotFound", -67722, message: "A module was not found."),
        Row(
            "errSecEventNotificationCallbackNotFound",
            -67723,
            message: "An event notification callback was not found."
        ),
        Row("errSecInputLengthError", -67724, message: "An input length error was encountered."),
        Row("errSecOutputLengthError", -67725, message: "An output length error was encountered."),
        Row("errSecPrivilegeNotSupported", -67726, message: "The privilege is not supported."),
        Row("errSecDeviceError", -67727, message: "A device error was encountered."),
        Row("errSecAttachHandleBusy", -67728, message: "The CSP handle was busy."),
        Row("errSecNotLoggedIn", -67729, message: "You are not logged in."),
        Row("errSecAlgorithmMismatch", -67730, message: "An algorithm mismatch was encountered."),
        Row("errSecKeyUsageIncorrect", -67731, message: "The key usage is incorrect."),
        Row("errSecKeyBlobTypeIncorrect", -67732, message: "The key blob type is incorrect."),
        Row("errSecKeyHeaderInconsistent", -67733, message: "The key header is inconsistent."),
        Row("errSecUnsupportedKeyFormat", -67734, message: "The key header format is not supported."),
        Row("errSecUnsupportedKeySize", -67735, message: "The key size is not supported."),
        Row("errSecInvalidKeyUsageMask", -67736, message: "The key usage mask is not valid."),
        Row("errSecUnsupportedKeyUsageMask", -67737, message: "The key usage mask is not supported."),
        Row("errSecInvalidKeyAttributeMask", -67738, message: "The key attribute mask is not valid."),
        Row("errSecUnsupportedKeyAttributeMask", -67739, message: "The key attribute mask is not supported."),
        Row("errSecInvalidKeyLabel", -67740, message: "The key label is not valid."),
        Row("errSecUnsupportedKeyLabel", -67741, message: "The key label is not supported."),
        Row("errSecInvalidKeyFormat", -67742, message: "The key format is not valid."),
        Row("errSecUnsupportedVectorOfBuffers", -67743, message: "The vector of buffers is not supported."),
        Row("errSecInvalidInputVector", -67744, message: "The input vector is not valid."),
        Row("errSecInvalidOutputVector", -67745, message: "The output vector is not valid."),
        Row("errSecInvalidContext", -67746, message: "An invalid context was encountered."),
        Row("errSecInvalidAlgorithm", -67747, message: "An invalid algorithm was encountered."),
        Row("errSecInvalidAttributeKey", -67748, message: "A key attribute was not valid."),
        Row("errSecMissingAttributeKey", -67749, message: "A key attribute was missing."),
        Row("errSecInvalidAttributeInitVector", -67750, message: "An init vector attribute was not valid."),
        Row("errSecMissingAttributeInitVector", -67751, message: "An init vector attribute was missing."),
        Row("errSecInvalidAttributeSalt", -67752, message: "A salt attribute was not valid."),
        Row("errSecMissingAttributeSalt", -67753, message: "A salt attribute was missing."),
        Row("errSecInvalidAttributePadding", -67754, message: "A padding attribute was not valid."),
        Row("errSecMissingAttributePadding", -67755, message: "A padding attribute was missing."),
        Row("errSecInvalidAttributeRandom", -67756, message: "A random number attribute was not valid."),
        Row("errSecMissingAttributeRandom", -67757, message: "A random number attribute was missing."),
        Row("errSecInvalidAttributeSeed", -67758, message: "A seed attribute was not valid."),
        Row("errSecMissingAttributeSeed", -67759, message: "A seed attribute was missing."),
        Row("errSecInvalidAttributePassphrase", -67760, message: "A passphrase attribute was not valid."),
        Row("errSecMissingAttributePassphrase", -67761, message: "A passphrase attribute was missing."),
        Row("errSecInvalidAttributeKeyLength", -67762, message: "A key length attribute was not valid."),
        Row("errSecMissingAttributeKeyLength", -67763, message: "A key length attribute was missing."),
        Row("errSecInvalidAttributeBlockSize", -67764, message: "A block size attribute was not valid."),
        Row("errSecMissingAttributeBlockSize", -67765, message: "A block size attribute was missing."),
        Row("errSecInvalidAttributeOutputSize", -67766, message: "An output size attribute was not valid."),
        Row("errSecMissingAttributeOutputSize", -67767, message: "An output size attribute was missing."),
        Row("errSecInvalidAttributeRounds", -67768, message: "The number of rounds attribute was not valid."),
        Row("errSecMissingAttributeRounds", -67769, message: "The number of rounds attribute was missing."),
        Row("errSecInvalidAlgorithmParms", -67770, message: "An algorithm parameters attribute was not valid."),
        Row("errSecMissingAlgorithmParms", -67771, message: "An algorithm parameters attribute was missing."),
        Row("errSecInvalidAttributeLabel", -67772, message: "A label attribute was not valid."),
        Row("errSecMissingAttributeLabel", -67773, message: "A label attribute was missing."),
        Row("errSecInvalidAttributeKeyType", -67774, message: "A key type attribute was not valid."),
        Row("errSecMissingAttributeKeyType", -67775, message: "A key type attribute was missing."),
        Row("errSecInvalidAttributeMode", -67776, message: "A mode attribute was not valid."),
        Row("errSecMissingAttributeMode", -67777, message: "A mode attribute was missing."),
        Row("errSecInvalidAttributeEffectiveBits", -67778, message: "An effective bits attribute was not valid."),
        Row("errSecMissingAttributeEffectiveBits", -67779, message: "An effective bits attribute was missing."),
        Row("errSecInvalidAttributeStartDate", -67780, message: "A start date attribute was not valid."),
        Row("errSecMissingAttributeStartDate", -67781, message: "A start date attribute was missing."),
        Row("errSecInvalidAttributeEndDate", -67782, message: "An end date attribute was not valid."),
        Row("errSecMissingAttributeEndDate", -67783, message: "An end date attribute was missing."),
        Row("errSecInvalidAttributeVersion", -67784, message: "A version attribute was not valid."),
        Row("errSecMissingAttributeVersion", -67785, message: "A version attribute was missing."),
        Row("errSecInvalidAttributePrime", -67786, message: "A prime attribute was not valid."),
        Row("errSecMissingAttributePrime", -67787, message: "A prime attribute was missing."),
        Row("errSecInvalidAttributeBase", -67788, message: "A base attribute was not valid."),
        Row("errSecMissingAttributeBase", -67789, message: "A base attribute was missing."),
        Row("errSecInvalidAttributeSubprime", -67790, message: "A subprime attribute was not valid."),
        Row("errSecMissingAttributeSubprime", -67791, message: "A subprime attribute was missing."),
        Row("errSecInvalidAttributeIterationCount", -67792, message: "An iteration count attribute was not valid."),
        Row("errSecMissingAttributeIterationCount", -67793, message: "An iteration count attribute was missing."),
        Row("errSecInvalidAttributeDLDBHandle", -67794, message: "A database handle attribute was not valid."),
        Row("errSecMissingAttributeDLDBHandle", -67795, message: "A database handle attribute was missing."),
        Row(
            "errSecInvalidAttributeAccessCredentials",
            -67796,
            message: "An access credentials attribute was not valid."
        ),
        Row("errSecMissingAttributeAccessCredentials", -67797, message: "An access credentials attribute was missing."),
        Row("errSecInvalidAttributePublicKeyFormat", -67798, message: "A public key format attribute was not valid."),
        Row("errSecMissingAttributePublicKeyFormat", -67799, message: "A public key format attribute was missing."),
        Row("errSecInvalidAttributePrivateKeyFormat", -67800, message: "A private key format attribute was not valid."),
        Row("errSecMissingAttributePrivateKeyFormat", -67801, message: "A private key format attribute was missing."),
        Row(
            "errSecInvalidAttributeSymmetricKeyFormat",
            -67802,
            message: "A symmetric key format attribute was not valid."
        ),
        Row(
            "errSecMissingAttributeSymmetricKeyFormat",
            -67803,
            message: "A symmetric key format attribute was missing."
        ),
        Row("errSecInvalidAttributeWrappedKeyFormat", -67804, message: "A wrapped key format attribute was not valid."),
        Row("errSecMissingAttributeWrappedKeyFormat", -67805, message: "A wrapped key format attribute was missing."),
        Row("errSecStagedOperationInProgress", -67806, message: "A staged operation is in progress."),
        Row("errSecStagedOperationNotStarted", -67807, message: "A staged operation was not started."),
        Row("errSecVerifyFailed", -67808, message: "A cryptographic verification failure has occurred."),
        Row("errSecQuerySizeUnknown", -67809, message: "The query size is unknown."),
        Row("errSecBlockSizeMismatch", -67810, message: "A block size mismatch occurred."),
        Row("errSecPublicKeyInconsistent", -67811, message: "The public key was inconsistent."),
        Row("errSecDeviceVerifyFailed", -67812, message: "A device verification failure has occurred."),
        Row("errSecInvalidLoginName", -67813, message: "An invalid login name was detected."),
        Row("errSecAlreadyLoggedIn", -67814, message: "The user is already logged in."),
        Row("errSecInvalidDigestAlgorithm", -67815, message: "An invalid digest algorithm was detected."),
        Row("errSecInvalidCRLGroup", -67816, message: "An invalid CRL group was detected."),
        Row("errSecCertificateCannotOperate", -67817, message: "The certificate cannot operate."),
        Row("errSecCertificateExpired", -67818, message: "An expired certificate was detected."),
        Row("errSecCertificateNotValidYet", -67819, message: "The certificate is not yet valid."),
        Row("errSecCertificateRevoked", -67820, message: "The certificate was revoked."),
        Row("errSecCertificateSuspended", -67821, message: "The certificate was suspended."),
        Row("errSecInsufficientCredentials", -67822, message: "Insufficient credentials were detected."),
        Row("errSecInvalidAction", -67823, message: "The action was not valid."),
        Row("errSecInvalidAuthority", -67824, message: "The authority was not valid."),
        Row("errSecVerifyActionFailed", -67825, message: "A verify action has failed."),
        Row("errSecInvalidCertAuthority", -67826, message: "The certificate authority was not valid."),
        Row("errSecInvalidCRLAuthority", -67827, message: "The CRL authority was not valid."),
        Row("errSecInvaldCRLAuthority", -67827, message: "The CRL authority was not valid."),
        Row("errSecInvalidCRLEncoding", -67828, message: "The CRL encoding was not valid."),
        Row("errSecInvalidCRLType", -67829, message: "The CRL type was not valid."),
        Row("errSecInvalidCRL", -67830, message: "The CRL was not valid."),
        Row("errSecInvalidFormType", -67831, message: "The form type was not valid."),
        Row("errSecInvalidID", -67832, message: "The ID was not valid."),
        Row("errSecInvalidIdentifier", -67833, message: "The identifier was not valid."),
        Row("errSecInvalidIndex", -67834, message: "The index was not valid."),
        Row("errSecInvalidPolicyIdentifiers", -67835, message: "The policy identifiers are not valid."),
        Row("errSecInvalidTimeString", -67836, message: "The time specified was not valid."),
        Row("errSecInvalidReason", -67837, message: "The trust policy reason was not valid."),
        Row("errSecInvalidRequestInputs", -67838, message: "The request inputs are not valid."),
        Row("errSecInvalidResponseVector", -67839, message: "The response vector was not valid."),
        Row("errSecInvalidStopOnPolicy", -67840, message: "The stop-on policy was not valid."),
        Row("errSecInvalidTuple", -67841, message: "The tuple was not valid."),
        Row("errSecMultipleValuesUnsupported", -67842, message: "Multiple values are not supported."),
        Row("errSecNotTrusted", -67843, message: "The certificate was not trusted."),
        Row("errSecNoDefaultAuthority", -67844, message: "No default authority was detected."),
        Row("errSecRejectedForm", -67845, message: "The trust policy had a rejected form."),
        Row("errSecRequestLost", -67846, message: "The request was lost."),
        Row("errSecRequestRejected", -67847, message: "The request was rejected."),
        Row("errSecUnsupportedAddressType", -67848, message: "The address type is not supported."),
        Row("errSecUnsupportedService", -67849, message: "The service is not supported."),
        Row("errSecInvalidTupleGroup", -67850, message: "The tuple group was not valid."),
        Row("errSecInvalidBaseACLs", -67851, message: "The base ACLs are not valid."),
        Row("errSecInvalidTupleCredentials", -67852, message: "The tuple credentials are not valid."),
        Row("errSecInvalidTupleCredendtials", -67852, message: "The tuple credentials are not valid."),
        Row("errSecInvalidEncoding", -67853, message: "The encoding was not valid."),
        Row("errSecInvalidValidityPeriod", -67854, message: "The validity period was not valid."),
        Row("errSecInvalidRequestor", -67855, message: "The requestor was not valid."),
        Row("errSecRequestDescriptor", -67856, message: "The request descriptor was not valid."),
        Row("errSecInvalidBundleInfo", -67857, message: "The bundle information was not valid."),
        Row("errSecInvalidCRLIndex", -67858, message: "The CRL index was not valid."),
        Row("errSecNoFieldValues", -67859, message: "No field values were detected."),
        Row("errSecUnsupportedFieldFormat", -67860, message: "The field format is not supported."),
        Row("errSecUnsupportedIndexInfo", -67861, message: "The index information is not supported."),
        Row("errSecUnsupportedLocality", -67862, message: "The locality is not supported."),
        Row("errSecUnsupportedNumAttributes", -67863, message: "The number of attributes is not supported."),
        Row("errSecUnsupportedNumIndexes", -67864, message: "The number of indexes is not supported."),
        Row("errSecUnsupportedNumRecordTypes", -67865, message: "The number of record types is not supported."),
        Row("errSecFieldSpecifiedMultiple", -67866, message: "Too many fields were specified."),
        Row("errSecIncompatibleFieldFormat", -67867, message: "The field format was incompatible."),
        Row("errSecInvalidParsingModule", -67868, message: "The parsing module was not valid."),
        Row("errSecDatabaseLocked", -67869, message: "The database is locked."),
        Row("errSecDatastoreIsOpen", -67870, message: "The data store is open."),
        Row("errSecMissingValue", -67871, message: "A missing value was detected."),
        Row("errSecUnsupportedQueryLimits", -67872, message: "The query limits are not supported."),
        Row(
            "errSecUnsupportedNumSelectionPreds",
            -67873,
            message: "The number of selection predicates is not supported."
        ),
        Row("errSecUnsupportedOperator", -67874, message: "The operator is not supported."),
        Row("errSecInvalidDBLocation", -67875, message: "The database location is not valid."),
        Row("errSecInvalidAccessRequest", -67876, message: "The access request is not valid."),
        Row("errSecInvalidIndexInfo", -67877, message: "The index information is not valid."),
        Row("errSecInvalidNewOwner", -67878, message: "The new owner is not valid."),
        Row("errSecInvalidModifyMode", -67879, message: "The modify mode is not valid."),
        Row("errSecMissingRequiredExtension", -67880, message: "A required certificate extension is missing."),
        Row(
            "errSecExtendedKeyUsageNotCritical",
            -67881,
            message: "The extended key usage extension was not marked critical."
        ),
        Row("errSecTimestampMissing", -67882, message: "A timestamp was expected but was not found."),
        Row("errSecTimestampInvalid", -67883, message: "The timestamp was not valid."),
        Row("errSecTimestampNotTrusted", -67884, message: "The timestamp was not trusted."),
        Row("errSecTimestampServiceNotAvailable", -67885, message: "The timestamp service is not available."),
        Row(
            "errSecTimestampBadAlg",
            -67886,
            message: "An unrecognized or unsupported Algorithm Identifier in timestamp."
        ),
        Row("errSecTimestampBadRequest", -67887, message: "The timestamp transaction is not permitted or supported."),
        Row("errSecTimestampBadDataFormat", -67888, message: "The timestamp data submitted has the wrong format."),
        Row(
            "errSecTimestampTimeNotAvailable",
            -67889,
            message: "The time source for the Timestamp Authority is not available."
        ),
        Row(
            "errSecTimestampUnacceptedPolicy",
            -67890,
            message: "The requested policy is not supported by the Timestamp Authority."
        ),
        Row(
            "errSecTimestampUnacceptedExtension",
            -67891,
            message: "The requested extension is not supported by the Timestamp Authority."
        ),
        Row(
            "errSecTimestampAddInfoNotAvailable",
            -67892,
            message: "The additional information requested is not available."
        ),
        Row(
            "errSecTimestampSystemFailure",
            -67893,
            message: "The timestamp request cannot be handled due to system failure."
        ),
        Row("errSecSigningTimeMissing", -67894, message: "A signing time was expected but was not found."),
        Row("errSecTimestampRejection", -67895, message: "A timestamp transaction was rejected."),
        Row("errSecTimestampWaiting", -67896, message: "A timestamp transaction is waiting."),
        Row(
            "errSecTimestampRevocationWarning",
            -67897,
            message: "A timestamp authority revocation warning was issued."
        ),
        Row(
            "errSecTimestampRevocationNotification",
            -67898,
            message: "A timestamp authority revocation notification was issued."
        ),
        Row(
            "errSecCertificatePolicyNotAllowed",
            -67899,
            message: "The requested policy is not allowed for this certificate."
        ),
        Row(
            "errSecCertificateNameNotAllowed",
            -67900,
            message: "The requested name is not allowed for this certificate."
        ),
        Row(
            "errSecCertificateValidityPeriodTooLong",
            -67901,
            message: "The validity period in the certificate exceeds the maximum allowed."
        ),
        Row("errSecCertificateIsCA", -67902, message: "The verified certificate is a CA rather than an end-entity."),
        Row(
            "errSecCertificateDuplicateExtension",
            -67903,
            message: "The certificate contains multiple extensions with the same extension ID."
        ),
        Row(
            "errSecMissingQualifiedCertStatement",
            -67904,
            message: "A required qualified certificate statement is missing."
        ),
    ]

    /// Codes that only Apple's private headers declare.
    private static let nonpublic: [Row] = [Row("errSecInternal", -26276, message: nil, isPublic: false)]
}
