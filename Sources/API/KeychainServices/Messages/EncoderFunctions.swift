// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore
import KeychainKeys
import KeychainTrust

/// Creates an encoder for a message: signed (RFC 5652, section 5), encrypted for certificates (section 6), or both,
/// with the signed message inside the encrypted one.
///
/// - Parameter cmsEncoderOut: receives the object.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderCreate(_ cmsEncoderOut: UnsafeMutablePointer<CMSEncoder?>) -> OSStatus {
    cmsEncoderOut.pointee = CMSEncoder()
    return errSecSuccess
}

/// Sets the digest function of signatures; the default is SHA-256.
///
/// - Parameters:
///   - cmsEncoder: the object.
///   - digestAlgorithm: `kCMSEncoderDigestAlgorithmSHA256`, or `kCMSEncoderDigestAlgorithmSHA1` for readers that
///     support nothing else.
/// - Returns: `errSecSuccess`; `errSecParam` for another one, and once there are contents.
@discardableResult
public func CMSEncoderSetSignerAlgorithm(_ cmsEncoder: CMSEncoder, _ digestAlgorithm: CFString) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let digest: DigestAlgorithm
        switch digestAlgorithm {
        case kCMSEncoderDigestAlgorithmSHA1: digest = .sha1
        case kCMSEncoderDigestAlgorithmSHA256: digest = .sha256
        default: throw .parameter("the digest function is not one for messages")
        }
        try cmsEncoder.set { $0.digest = digest }
    }
}

/// Adds signers; the message is then signed.
///
/// - Parameters:
///   - cmsEncoder: the object.
///   - signerOrArray: a `SecIdentity`, or an array of them.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else, and once there are contents.
@discardableResult
public func CMSEncoderAddSigners(_ cmsEncoder: CMSEncoder, _ signerOrArray: CFTypeRef) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let signers = try Members.required(signerOrArray, as: SecIdentity.self, named: "an identity")
        try cmsEncoder.set { $0.signers += signers }
    }
}

/// The signers that were added.
///
/// - Parameters:
///   - cmsEncoder: the object.
///   - signersOut: receives an array of `SecIdentity`; `nil` for none.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderCopySigners(_ cmsEncoder: CMSEncoder, _ signersOut: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    signersOut.pointee = array(cmsEncoder.current.signers)
    return errSecSuccess
}

/// Adds recipients; the message is then encrypted, with AES-256.
///
/// For an RSA key the key of the contents is encrypted with the padding of PKCS #1 v1.5, which every reader knows; for
/// a key on a curve it is wrapped under one that ECDH gives (RFC 5753).
///
/// - Parameters:
///   - cmsEncoder: the object.
///   - recipientOrArray: a `SecCertificate`, or an array of them.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else, and once there are contents.
@discardableResult
public func CMSEncoderAddRecipients(_ cmsEncoder: CMSEncoder, _ recipientOrArray: CFTypeRef) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let recipients = try Members.required(recipientOrArray, as: SecCertificate.self, named: "a certificate")
        try cmsEncoder.set { $0.recipients += recipients }
    }
}

/// The recipients that were added.
///
/// - Parameters:
///   - cmsEncoder: the object.
///   - recipientsOut: receives an array of `SecCertificate`; `nil` for none.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderCopyRecipients(
    _ cmsEncoder: CMSEncoder,
    _ recipientsOut: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    recipientsOut.pointee = array(cmsEncoder.current.recipients)
    return errSecSuccess
}

/// Sets whether the contents are detached from a signed message; by default they are not.
///
/// - Returns: `errSecSuccess`; `errSecParam` once there are contents.
@discardableResult
public func CMSEncoderSetHasDetachedContent(_ cmsEncoder: CMSEncoder, _ detachedContent: Bool) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in try cmsEncoder.set { $0.isDetached = detachedContent } }
}

/// Whether the contents stay outside of the message, as it was set.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderGetHasDetachedContent(
    _ cmsEncoder: CMSEncoder,
    _ detachedContentOut: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    detachedContentOut.pointee = DarwinBoolean(cmsEncoder.current.isDetached)
    return errSecSuccess
}

/// Sets the type of the contents of a signed message; plain data by default.
///
/// - Parameters:
///   - cmsEncoder: the object.
///   - eContentTypeOID: the object identifier as a string, numbers with dots between.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else, and once there are contents.
@discardableResult
public func CMSEncoderSetEncapsulatedContentTypeOID(_ cmsEncoder: CMSEncoder, _ eContentTypeOID: CFTypeRef) -> OSStatus
{
    FunctionCall.status { () throws(KeychainError) in
        let octets = (eContentTypeOID as? String).map(ObjectIdentifierOctets.octets) ?? []
        guard !octets.isEmpty else { throw .parameter("the type of the contents is no object identifier") }
        try cmsEncoder.set { $0.contentType = octets }
    }
}

/// The type of the contents.
///
/// - Parameters:
///   - cmsEncoder: the object.
///   - eContentTypeOut: where the content octets of its object identifier go, without tag and length; `nil` where none
///     was set.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderCopyEncapsulatedContentType(
    _ cmsEncoder: CMSEncoder,
    _ eContentTypeOut: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    eContentTypeOut.pointee = cmsEncoder.current.contentType.map { NSData(data: Data($0)) }
    return errSecSuccess
}

/// Adds certificates to the message; without anything else, the message has no signers and no contents.
///
/// - Parameters:
///   - cmsEncoder: the object.
///   - certOrArray: a `SecCertificate`, or an array of them.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else, and once there are contents.
@discardableResult
public func CMSEncoderAddSupportingCerts(_ cmsEncoder: CMSEncoder, _ certOrArray: CFTypeRef) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let certificates = try Members.required(certOrArray, as: SecCertificate.self, named: "a certificate")
        try cmsEncoder.set { $0.supportingCertificates += certificates }
    }
}

/// The certificates that were added.
///
/// - Parameters:
///   - cmsEncoder: the object.
///   - certsOut: receives an array of `SecCertificate`; `nil` for none.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderCopySupportingCerts(
    _ cmsEncoder: CMSEncoder,
    _ certsOut: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    certsOut.pointee = array(cmsEncoder.current.supportingCertificates)
    return errSecSuccess
}

/// Sets the attributes that are signed in addition to the contents.
///
/// - Returns: `errSecSuccess`; `errSecUnimplemented` for attributes of Apple's code signatures; `errSecParam` once
///   there are contents, and for undefined bits.
@discardableResult
public func CMSEncoderAddSignedAttributes(_ cmsEncoder: CMSEncoder, _ signedAttributes: CMSSignedAttributes) -> OSStatus
{
    FunctionCall.status { () throws(KeychainError) in
        let known: CMSSignedAttributes = [
            .attrSmimeCapabilities, .attrSmimeEncryptionKeyPrefs, .attrSmimeMSEncryptionKeyPrefs, .attrSigningTime,
        ]
        let apple: CMSSignedAttributes = [
            .attrAppleCodesigningHashAgility, .attrAppleCodesigningHashAgilityV2, .attrAppleExpirationTime,
        ]
        guard signedAttributes.isDisjoint(with: apple) else {
            throw KeychainError(.unimplemented, "attributes of Apple's code signatures are not implemented")
        }
        guard signedAttributes.isSubset(of: known) else { throw .parameter("an attribute is unknown") }
        try cmsEncoder.set { $0.attributes.formUnion(signedAttributes) }
    }
}

/// Sets which certificates the message contains in addition to those that were added; `.chain` by default.
///
/// - Returns: `errSecSuccess`; `errSecParam` once there are contents.
@discardableResult
public func CMSEncoderSetCertificateChainMode(
    _ cmsEncoder: CMSEncoder,
    _ chainMode: CMSCertificateChainMode
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in try cmsEncoder.set { $0.chainMode = chainMode } }
}

/// The certificates that the message contains.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderGetCertificateChainMode(
    _ cmsEncoder: CMSEncoder,
    _ chainModeOut: UnsafeMutablePointer<CMSCertificateChainMode>
) -> OSStatus {
    chainModeOut.pointee = cmsEncoder.current.chainMode
    return errSecSuccess
}

/// Adds a part of the contents, after which settings can no longer be changed.
///
/// - Parameters:
///   - cmsEncoder: the object.
///   - content: the bytes after those of the previous call.
///   - contentLen: their number.
/// - Returns: `errSecSuccess`; `errSecParam` once the message has been created, and for a negative number.
@discardableResult
public func CMSEncoderUpdateContent(
    _ cmsEncoder: CMSEncoder,
    _ content: UnsafeRawPointer,
    _ contentLen: Int
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        guard contentLen >= 0 else { throw .parameter("the number of bytes is negative") }
        try cmsEncoder.add(UnsafeRawBufferPointer(start: content, count: contentLen))
    }
}

/// Creates the message.
///
/// - Parameters:
///   - cmsEncoder: the object.
///   - encodedContentOut: receives the message, in DER except for the order of its certificates and signers.
/// - Returns: `errSecSuccess`; `errSecParam` without signers, recipients and certificates, and for an encrypted message
///   with detached contents; `errSecCreateChainFailed` if a root was requested and is unavailable;
///   `errSecUnsupportedKeyFormat` for a recipient with an unimplemented kind of key; the error of a key that cannot
///   sign.
@discardableResult
public func CMSEncoderCopyEncodedContent(
    _ cmsEncoder: CMSEncoder,
    _ encodedContentOut: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        encodedContentOut.pointee = NSData(data: Data(try cmsEncoder.message()))
    }
}

/// Creates a message in one call.
///
/// - Parameters:
///   - signers: a `SecIdentity`, or an array of them; `nil` for a message that is not signed.
///   - recipients: a `SecCertificate`, or an array of them; `nil` for a message that is not encrypted.
///   - eContentTypeOID: the type of signed contents, as numbers with dots between; plain data for `nil`.
///   - detachedContent: whether the contents are detached.
///   - signedAttributes: the attributes that are signed in addition to the contents.
///   - content: the contents.
///   - contentLen: their number.
///   - encodedContentOut: receives the message.
/// - Returns: `errSecSuccess`, or the first failure of the individual functions.
@discardableResult
public func CMSEncodeContent(
    _ signers: CFTypeRef?,
    _ recipients: CFTypeRef?,
    _ eContentTypeOID: CFTypeRef?,
    _ detachedContent: Bool,
    _ signedAttributes: CMSSignedAttributes,
    _ content: UnsafeRawPointer,
    _ contentLen: Int,
    _ encodedContentOut: UnsafeMutablePointer<CFData?>?
) -> OSStatus {
    let encoder = CMSEncoder()
    let steps: [() -> OSStatus] = [
        { signers.map { CMSEncoderAddSigners(encoder, $0) } ?? errSecSuccess },
        { recipients.map { CMSEncoderAddRecipients(encoder, $0) } ?? errSecSuccess },
        { eContentTypeOID.map { CMSEncoderSetEncapsulatedContentTypeOID(encoder, $0) } ?? errSecSuccess },
        { CMSEncoderSetHasDetachedContent(encoder, detachedContent) },
        { CMSEncoderAddSignedAttributes(encoder, signedAttributes) },
        { CMSEncoderUpdateContent(encoder, content, contentLen) },
        {
            var message: CFData?
            defer { encodedContentOut?.pointee = message }
            return CMSEncoderCopyEncodedContent(encoder, &message)
        },
    ]
    return steps.lazy.map { $0() }.first { $0 != errSecSuccess } ?? errSecSuccess
}

/// An array of objects; `nil` without any.
private func array(_ members: [some AnyObject]) -> CFArray? { members.isEmpty ? nil : NSArray(array: members) }
