// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainMessages
import KeychainTrust

/// The number of signers of the message.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - numSignersOut: receives the number; 0 for a message that is not signed.
/// - Returns: `errSecSuccess`; `errSecParam` for an incomplete message.
@discardableResult
public func CMSDecoderGetNumSigners(
    _ cmsDecoder: CMSDecoder,
    _ numSignersOut: UnsafeMutablePointer<Int>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        numSignersOut.pointee = try cmsDecoder.opened().signedData?.signatures.count ?? 0
    }
}

/// Checks a signature of the message, and evaluates its certificate.
///
/// A certificate with several signatures is evaluated once for a decoder and the same policies.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - signerIndex: the index of the signer, from 0.
///   - policyOrArray: a `SecPolicy`, or an array of them, for the evaluation of the certificate.
///   - evaluateSecTrust: whether to evaluate now; the caller may do it later.
///   - signerStatusOut: receives the result.
///   - secTrustOut: receives the trust object for the certificate, with the others of the message for its chain; `nil`
///     if the certificate is unavailable.
///   - certVerifyResultCodeOut: receives the result of the evaluation, if it is performed: `errSecSuccess`, or for
///     example `errSecNotTrusted`; `errSecItemNotFound` if the certificate is unavailable.
/// - Returns: `errSecSuccess`, regardless of the result; `errSecParam` for an incomplete message, and for anything
///   other than a policy; `errSecNotAvailable` if certificates cannot be evaluated.
@discardableResult
public func CMSDecoderCopySignerStatus(
    _ cmsDecoder: CMSDecoder,
    _ signerIndex: Int,
    _ policyOrArray: CFTypeRef,
    _ evaluateSecTrust: Bool,
    _ signerStatusOut: UnsafeMutablePointer<CMSSignerStatus>?,
    _ secTrustOut: UnsafeMutablePointer<SecTrust?>?,
    _ certVerifyResultCodeOut: UnsafeMutablePointer<OSStatus>?
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        secTrustOut?.pointee = nil
        let policies = try Members.policies(policyOrArray)
        guard let signed = try cmsDecoder.opened().signedData, !signed.signatures.isEmpty else {
            signerStatusOut?.pointee = .unsigned
            return
        }
        guard signed.signatures.indices.contains(signerIndex) else {
            signerStatusOut?.pointee = .invalidIndex
            return
        }
        let signature = signed.signatures[signerIndex]
        let chain = try cmsDecoder.chain(of: signature)
        guard let certificate = chain.first else {
            signerStatusOut?.pointee = .invalidCert
            certVerifyResultCodeOut?.pointee = errSecItemNotFound
            return
        }
        let trust = SecTrust(chain, policies)
        secTrustOut?.pointee = trust
        let check = cmsDecoder.checker(signed).check(signature, by: certificate.certificate)
        switch check {
        case .needsContents: signerStatusOut?.pointee = .needsDetachedContent
        case .invalid: signerStatusOut?.pointee = .invalidSignature
        case .valid: signerStatusOut?.pointee = evaluateSecTrust ? .invalidCert : .valid
        }
        guard evaluateSecTrust else { return }
        try cmsDecoder.judge(trust, of: certificate.certificate, by: policies)
        let finding = try trust.evaluation(in: .withoutKeychain).mainFinding
        certVerifyResultCodeOut?.pointee = finding?.defect.status.rawValue ?? errSecSuccess
        if check == .valid, finding == nil { signerStatusOut?.pointee = .valid }
    }
}

/// The e-mail address in the certificate of a signer, the first of several.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - signerIndex: the index of the signer, from 0.
///   - signerEmailAddressOut: receives the address; `nil` without one.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` without an address, and if the certificate is unavailable;
///   `errSecParam` for an incomplete message, and if there is no such signer.
@discardableResult
public func CMSDecoderCopySignerEmailAddress(
    _ cmsDecoder: CMSDecoder,
    _ signerIndex: Int,
    _ signerEmailAddressOut: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        signerEmailAddressOut.pointee = nil
        let certificate = try cmsDecoder.certificate(of: cmsDecoder.signature(signerIndex))
        guard let address = certificate?.certificate.emailAddresses.first else {
            throw KeychainError(.itemNotFound, "the signer has no e-mail address")
        }
        signerEmailAddressOut.pointee = NSString(string: address)
    }
}

/// The certificate of a signer, from the message or the keychain; it is not evaluated.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - signerIndex: the index of the signer, from 0.
///   - signerCertOut: receives the certificate; `nil` without one.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if it is unavailable; `errSecParam` for an incomplete message, and
///   if there is no such signer.
@discardableResult
public func CMSDecoderCopySignerCert(
    _ cmsDecoder: CMSDecoder,
    _ signerIndex: Int,
    _ signerCertOut: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        signerCertOut.pointee = try cmsDecoder.certificate(of: cmsDecoder.signature(signerIndex))
        guard signerCertOut.pointee != nil else {
            throw KeychainError(.itemNotFound, "the certificate of the signer is not at hand")
        }
    }
}

/// The signing time claimed by a signer, which is not verified.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - signerIndex: the index of the signer, from 0.
///   - signingTime: receives the time.
/// - Returns: `errSecSuccess`; `errSecSigningTimeMissing` without a time; `errSecParam` for an incomplete message, and
///   if there is no such signer.
@discardableResult
public func CMSDecoderCopySignerSigningTime(
    _ cmsDecoder: CMSDecoder,
    _ signerIndex: Int,
    _ signingTime: UnsafeMutablePointer<CFAbsoluteTime>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        guard let time = try cmsDecoder.signature(signerIndex).namedTime else {
            throw KeychainError(.signingTimeMissing, "the signer names no time")
        }
        signingTime.pointee = time.secondsSinceReferenceDate
    }
}

extension Members {
    /// The policies of an argument, one at least.
    ///
    /// - Throws: `errSecParam`.
    static func policies(_ argument: CFTypeRef) throws(KeychainError) -> [SecPolicy] {
        let policies = try required(argument, as: SecPolicy.self, named: "a policy")
        guard !policies.isEmpty else { throw .parameter("there is no policy to judge by") }
        return policies
    }
}
