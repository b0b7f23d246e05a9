// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainContainers
import KeychainCore
import KeychainMessages
import KeychainTrust

/// When an authority has seen the signature of a signer (RFC 3161), by the policy for signing times.
///
/// - Returns: As ``CMSDecoderCopySignerTimestampWithPolicy(_:_:_:_:)``.
@discardableResult
public func CMSDecoderCopySignerTimestamp(
    _ cmsDecoder: CMSDecoder,
    _ signerIndex: Int,
    _ timestamp: UnsafeMutablePointer<CFAbsoluteTime>
) -> OSStatus {
    CMSDecoderCopySignerTimestampWithPolicy(cmsDecoder, nil, signerIndex, timestamp)
}

/// When an authority has seen the signature of a signer (RFC 3161).
///
/// The authority's certificate is judged as of that time.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - timeStampPolicy: a `SecPolicy`, or an array of them, by which the authority's certificate is judged; that for
///     signing times for `nil`.
///   - signerIndex: which signer, from 0.
///   - timestamp: where the time goes.
/// - Returns: `errSecSuccess`; `errSecTimestampMissing` without a timestamp; `errSecTimestampInvalid` for one that is
///   malformed, is not signed, or is of another signature; `errSecTimestampNotTrusted` where the authority is not
///   trusted; `errSecParam` for a message that is not complete, and where there is no such signer.
@discardableResult
public func CMSDecoderCopySignerTimestampWithPolicy(
    _ cmsDecoder: CMSDecoder,
    _ timeStampPolicy: CFTypeRef?,
    _ signerIndex: Int,
    _ timestamp: UnsafeMutablePointer<CFAbsoluteTime>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let found = try cmsDecoder.timestamp(signerIndex)
        let policies =
            if let timeStampPolicy {
                try Members.policies(timeStampPolicy)
            } else {
                [SecPolicy(.purpose(.timeStamping, isServer: true, name: nil))]
            }
        let trust = SecTrust(found.certificates.map { SecCertificate($0) }, policies)
        trust.set { $0.date = found.time }
        guard try trust.evaluation(in: .withoutKeychain).isTrusted else {
            throw KeychainError(.timestampNotTrusted, "the authority for signing times is not trusted")
        }
        timestamp.pointee = found.time.secondsSinceReferenceDate
    }
}

/// The certificates of the authority that has put a time to the signature of a signer, its own first; they are not
/// judged.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - signerIndex: which signer, from 0.
///   - certificateRefs: where an array of `SecCertificate` goes.
/// - Returns: `errSecSuccess`; `errSecTimestampMissing` without a timestamp; `errSecTimestampInvalid` for one that is
///   malformed, is not signed, or is of another signature; `errSecParam` for a message that is not complete, and where
///   there is no such signer.
@discardableResult
public func CMSDecoderCopySignerTimestampCertificates(
    _ cmsDecoder: CMSDecoder,
    _ signerIndex: Int,
    _ certificateRefs: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let found = try cmsDecoder.timestamp(signerIndex)
        certificateRefs.pointee = NSArray(array: found.certificates.map { SecCertificate($0) })
    }
}

/// When an authority has seen a signature that is written.
///
/// - Returns: `errSecTimestampMissing`: no authority is asked, as by Apple's public functions; `errSecParam` where
///   there is no signer of this number.
@discardableResult
public func CMSEncoderCopySignerTimestamp(
    _ cmsEncoder: CMSEncoder,
    _ signerIndex: Int,
    _ timestamp: UnsafeMutablePointer<CFAbsoluteTime>
) -> OSStatus {
    CMSEncoderCopySignerTimestampWithPolicy(cmsEncoder, nil, signerIndex, timestamp)
}

/// When an authority has seen a signature that is written.
///
/// - Returns: `errSecTimestampMissing`: no authority is asked, as by Apple's public functions; `errSecParam` where
///   there is no signer of this number.
@discardableResult
public func CMSEncoderCopySignerTimestampWithPolicy(
    _ cmsEncoder: CMSEncoder,
    _ timeStampPolicy: CFTypeRef?,
    _ signerIndex: Int,
    _ timestamp: UnsafeMutablePointer<CFAbsoluteTime>
) -> OSStatus {
    cmsEncoder.current.signers.indices.contains(signerIndex) ? errSecTimestampMissing : errSecParam
}

extension CMSDecoder {
    /// The timestamp of a signature, its authority not judged.
    fileprivate func timestamp(_ index: Int) throws(KeychainError) -> SignatureTimestamp {
        let signature = try signature(index)
        guard let token = signature.timestampToken else {
            throw KeychainError(.timestampMissing, "the signature has no timestamp")
        }
        guard let timestamp = try SignatureTimestamp(token, of: signature, opened().certificates) else {
            throw KeychainError(.timestampInvalid, "the timestamp is not one of the signature")
        }
        return timestamp
    }
}
