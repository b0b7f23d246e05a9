// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Foundation
import KeychainCertificates
import KeychainCore
import KeychainTrust

/// Evaluates the certificate.
///
/// A chain has to lead to an anchor, with valid signatures, dates and constraints (RFC 5280), each policy has to be
/// satisfied, and trust settings must not deny it (Semantics, "Trust").
///
/// - Parameters:
///   - trust: the object.
///   - error: receives the reason: in `NSOSStatusErrorDomain`, with the code of the most important defect, such as
///     `errSecNotTrusted`, `errSecCertificateExpired` or `errSecHostNameMismatch`; `errSecNotAvailable` if OpenSSL is
///     not installed.
/// - Returns: Whether it is trusted.
@discardableResult
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    let failure = TrustCall.failure(of: trust, in: .withoutKeychain)
    error?.pointee = failure
    return failure == nil
}

/// Evaluates the certificate on a queue.
///
/// - Parameters:
///   - trust: the object.
///   - queue: the queue for the evaluation and the closure.
///   - result: called once.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
    _ trust: SecTrust,
    _ queue: DispatchQueue,
    _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
    // The caller's task is no longer current when the queue runs it.
    let context = KeychainContext.withoutKeychain
    nonisolated(unsafe) let result = result
    queue.async {
        let failure = TrustCall.failure(of: trust, in: context)
        result(trust, failure == nil, failure)
    }
    return errSecSuccess
}

/// Evaluates the certificate, in the older form.
///
/// - Parameters:
///   - trust: the object.
///   - result: receives the result.
/// - Returns: `errSecSuccess`, regardless of the result; `errSecNotAvailable` if OpenSSL is not installed.
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        result.pointee = .otherError
        result.pointee = try trust.evaluation().type
    }
}

/// Evaluates the certificate on a queue, in the older form.
///
/// - Parameters:
///   - trust: the object.
///   - queue: the queue for the evaluation and the closure; `nil` for the main one.
///   - result: called once.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustEvaluateAsync(
    _ trust: SecTrust,
    _ queue: DispatchQueue?,
    _ result: @escaping SecTrustCallback
) -> OSStatus {
    let context = KeychainContext.withoutKeychain
    nonisolated(unsafe) let result = result
    (queue ?? .main).async {
        result(trust, (try? trust.evaluation(in: context).type) ?? .otherError)
    }
    return errSecSuccess
}

/// The result of the last evaluation; `.invalid` if there was none since an input was set.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustGetTrustResult(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    result.pointee = trust.lastEvaluation?.result.type ?? .invalid
    return errSecSuccess
}

/// The result of the last evaluation, as a dictionary with the keys `kSecTrust…`.
///
/// - Returns: `kSecTrustResultValue`, `kSecTrustEvaluationDate` and, if an OCSP response was used,
///   `kSecTrustRevocationChecked`; `nil` without an evaluation.
@discardableResult
public func SecTrustCopyResult(_ trust: SecTrust) -> CFDictionary? {
    guard let (evaluation, date) = trust.lastEvaluation else { return nil }
    let result = NSMutableDictionary()
    result.setObject(NSNumber(value: evaluation.type.rawValue), forKey: kSecTrustResultValue)
    result.setObject(
        NSDate(timeIntervalSinceReferenceDate: date.secondsSinceReferenceDate),
        forKey: kSecTrustEvaluationDate
    )
    if evaluation.isRevocationChecked { result.setObject(NSNumber(value: true), forKey: kSecTrustRevocationChecked) }
    return result
}

/// The properties of each certificate in the chain: its name, and its defects.
///
/// - Returns: An array of dictionaries with `kSecPropertyTypeTitle` and, if there is a defect, `kSecPropertyTypeError`;
///   `nil` if certificates cannot be evaluated.
@discardableResult
public func SecTrustCopyProperties(_ trust: SecTrust) -> CFArray? {
    guard let evaluation = try? trust.evaluation() else { return nil }
    let properties = evaluation.certificates.enumerated().map { position, certificate in
        let members = NSMutableDictionary()
        let name = certificate.certificate.subjectSummary ?? ""
        members.setObject(NSString(string: name), forKey: kSecPropertyTypeTitle)
        let sentences = evaluation.findings.filter { $0.position == position }.map(\.defect.sentence)
        if !sentences.isEmpty {
            members.setObject(NSString(string: sentences.joined(separator: "; ")), forKey: kSecPropertyTypeError)
        }
        return members
    }
    return NSArray(array: properties)
}

/// The chain: the evaluated certificate, then its issuers.
///
/// - Returns: An array of `SecCertificate`; `nil` if certificates cannot be evaluated.
@discardableResult
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? {
    (try? trust.evaluation()).map { NSArray(array: $0.certificates) }
}

/// The number of certificates in the chain; of the given ones, if certificates cannot be evaluated.
@discardableResult
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex {
    (try? trust.evaluation())?.chain.count ?? trust.current.certificates.count
}

/// A certificate of the chain by its index; 0 is the evaluated certificate.
///
/// - Returns: The certificate; `nil` beyond the chain.
@discardableResult
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ index: CFIndex) -> SecCertificate? {
    let certificates = (try? trust.evaluation())?.certificates ?? trust.current.certificates
    return certificates.indices.contains(index) ? certificates[index] : nil
}

/// The public key of the evaluated certificate, trusted or not.
///
/// - Returns: The key; `nil` for a kind of key that is not implemented.
@discardableResult
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
    trust.current.certificates.first.flatMap(SecCertificateCopyKey)
}

/// The public key of the evaluated certificate, under an older name.
///
/// - Returns: The key; `nil` for a kind of key that is not implemented.
@discardableResult
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// The defects that an evaluation finds, for `SecTrustSetExceptions`: a program stores them once the user has decided
/// to ignore them.
///
/// - Returns: The exceptions for this certificate; `nil` if certificates cannot be evaluated.
@discardableResult
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? {
    (try? trust.evaluation()).map { NSData(data: TrustExceptions($0).encoding) }
}

/// Sets the defects to ignore, as found by an earlier evaluation.
///
/// Exactly those defects are ignored: with the same certificate, and the same issuers. A denial by trust settings is
/// never ignored. A new evaluation is still needed.
///
/// - Parameters:
///   - trust: the object.
///   - exceptions: the result of `SecTrustCopyExceptions`; `nil` for none.
/// - Returns: Whether they are exceptions for the evaluated certificate; if not, none are set.
@discardableResult
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool {
    guard let exceptions else {
        trust.set { $0.exceptions = nil }
        return true
    }
    let known = TrustExceptions(encoding: exceptions as Data)
    let matching = known.flatMap { known in
        trust.current.certificates.first.flatMap { known.concern($0.certificate.der) ? known : nil }
    }
    trust.set { $0.exceptions = matching }
    return matching != nil
}

extension TrustCall {
    /// Why a certificate is not trusted; `nil` when it is.
    fileprivate static func failure(of trust: SecTrust, in context: KeychainContext) -> CFError? {
        do throws(KeychainError) {
            return try trust.evaluation(in: context).error
        } catch {
            return SecurityError.make(error.status.rawValue, error.reason)
        }
    }
}

extension TrustEvaluation {
    fileprivate var type: SecTrustResultType { SecTrustResultType(rawValue: result.rawValue) ?? .otherError }
}
