// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainContainers
import KeychainCore
import KeychainMessages
import KeychainTrust

/// The time of a signer's signature according to a timestamp authority (RFC 3161), with the time-stamping policy.
///
/// - Returns: The same as ``CMSDecoderCopySignerTimestampWithPolicy(_:_:_:_:)``.
@discardableResult
public func CMSDecoderCopySignerTimestamp(
    _ cmsDecoder: CMSDecoder,
    _ signerIndex: Int,
    _ timestamp: UnsafeMutablePointer<CFAbsoluteTime>
) -> OSStatus {
    CMSDecoderCopySignerTimestampWithPolicy(cmsDecoder, nil, signerIndex, timestamp)
}

/// The time of a signer's signature according to a timestamp authority (RFC 3161).
///
/// The authority's certificate is evaluated as of that time.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - timeStampPolicy: a `SecPolicy`, or an array of them, for the evaluation of the authority's certificate; `nil`
///     for the time-stamping policy.
///   - signerIndex: the index of the signer, from 0.
///   - timestamp: receives the time.
/// - Returns: `errSecSuccess`; `errSecTimestampMissing` without a timestamp; `errSecTimestampInvalid` for one that is
///   malformed, unsigned, or for another signature; `errSecTimestampNotTrusted` if the authority is not trusted;
///   `errSecParam` for an incomplete message, and if there is no such signer.
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

/// The certificates of the authority that timestamped a signer's signature, its own first; they are not evaluated.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - signerIndex: the index of the signer, from 0.
///   - certificateRefs: receives an array of `SecCertificate`.
/// - Returns: `errSecSuccess`; `errSecTimestampMissing` without a timestamp; `errSecTimestampInvalid` for one that is
///   malformed, unsigned, or for another signature; `errSecParam` for an incomplete message, and if there is no such
///   signer.
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

/// The timestamp of a signature being created.
///
/// - Returns: `errSecTimestampMissing`: no authority is contacted, as by Apple's public functions; `errSecParam` if
///   there is no signer with this index.
@discardableResult
public func CMSEncoderCopySignerTimestamp(
    _ cmsEncoder: CMSEncoder,
    _ signerIndex: Int,
    _ timestamp: UnsafeMutablePointer<CFAbsoluteTime>
) -> OSStatus {
    CMSEncoderCopySignerTimestampWithPolicy(cmsEncoder, nil, signerIndex, timestamp)
}

/// The timestamp of a signature being created.
///
/// - Returns: `errSecTimestampMissing`: no authority is contacted, as by Apple's public functions; `errSecParam` if
///   there is no signer with this index.
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
    /// The timestamp of a signature, without evaluating its authority.
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
