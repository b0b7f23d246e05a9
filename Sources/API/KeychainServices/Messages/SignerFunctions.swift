// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainMessages
import KeychainTrust

/// How many have signed the message.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - numSignersOut: where the number goes; 0 for a message that is not signed.
/// - Returns: `errSecSuccess`; `errSecParam` for a message that is not complete.
@discardableResult
public func CMSDecoderGetNumSigners(
    _ cmsDecoder: CMSDecoder,
    _ numSignersOut: UnsafeMutablePointer<Int>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        numSignersOut.pointee = try cmsDecoder.opened().signedData?.signatures.count ?? 0
    }
}

/// Checks a signature of the message, and judges its certificate.
///
/// A certificate that has signed more than once is judged once for an object and the same policies.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - signerIndex: which signer, from 0.
///   - policyOrArray: a `SecPolicy`, or an array of them, by which the certificate is judged.
///   - evaluateSecTrust: whether it is judged now; the caller may do it later.
///   - signerStatusOut: where the result goes.
///   - secTrustOut: where the object goes that judges the certificate, with the others of the message for its chain;
///     `nil` where the certificate is not at hand.
///   - certVerifyResultCodeOut: where the judgement goes, when it is made: `errSecSuccess`, or for example
///     `errSecNotTrusted`; `errSecItemNotFound` where the certificate is not at hand.
/// - Returns: `errSecSuccess`, whatever the result is; `errSecParam` for a message that is not complete, and for
///   anything else in the place of a policy; `errSecNotAvailable` where nothing can judge.
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
        try cmsDecoder.judge(trust, certificate.certificate, policies)
        let finding = try trust.evaluation(in: .withoutKeychain).mainFinding
        certVerifyResultCodeOut?.pointee = finding?.defect.status.rawValue ?? errSecSuccess
        if check == .valid, finding == nil { signerStatusOut?.pointee = .valid }
    }
}

/// The e-mail address in the certificate of a signer, the first of several.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - signerIndex: which signer, from 0.
///   - signerEmailAddressOut: where the address goes; `nil` without one.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` without an address, and where the certificate is not at hand;
///   `errSecParam` for a message that is not complete, and where there is no such signer.
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

/// The certificate of a signer, which is in the message or in the keychain; it is not judged.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - signerIndex: which signer, from 0.
///   - signerCertOut: where the certificate goes; `nil` without one.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` where it is not at hand; `errSecParam` for a message that is not
///   complete, and where there is no such signer.
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

/// When a signer says to have signed, which nobody vouches for.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - signerIndex: which signer, from 0.
///   - signingTime: where the time goes.
/// - Returns: `errSecSuccess`; `errSecSigningTimeMissing` without a time; `errSecParam` for a message that is not
///   complete, and where there is no such signer.
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
        let policies = try required(argument, SecPolicy.self, "a policy")
        guard !policies.isEmpty else { throw .parameter("there is no policy to judge by") }
        return policies
    }
}
