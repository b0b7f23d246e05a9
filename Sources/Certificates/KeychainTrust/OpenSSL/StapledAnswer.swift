// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// What answers of OCSP responders (RFC 6960) that somebody brought along say of a certificate.
enum StapledAnswer {
    /// What is known of a revocation.
    enum Standing {
        case good
        case revoked
    }

    /// What the answers say.
    ///
    /// An answer counts when the issuer has signed it, or a responder that the issuer has certified for it; and at the
    /// date, from when it holds to when the next one was to be made.
    ///
    /// - Parameters:
    ///   - answers: `OCSPResponse` in DER, each.
    ///   - certificate: what is asked about.
    ///   - issuer: who has issued it.
    ///   - date: when.
    ///   - library: the functions.
    /// - Returns: `nil` when no answer counts.
    static func standing(
        _ answers: [[UInt8]],
        of certificate: ParsedCertificate,
        issuer: ParsedCertificate,
        at date: Timestamp,
        _ library: OpenSSLLibrary
    ) -> Standing? {
        defer { library.forgetErrors() }
        let identifier = library.identifier(nil, certificate.pointer, issuer.pointer)
        defer { library.freeIdentifier(identifier) }
        guard identifier != nil else { return nil }
        let standings = answers.compactMap { standing($0, identifier, issuer, date, library) }
        return standings.contains(.revoked) ? .revoked : standings.first
    }

    /// Certificates of ours that have signed an answer need no chain (`OCSP_TRUSTOTHER`, OCSP_basic_verify(3)).
    private static let trustsOthers: UInt = 0x200

    private static func standing(
        _ answer: [UInt8],
        _ identifier: OpaquePointer?,
        _ issuer: ParsedCertificate,
        _ date: Timestamp,
        _ library: OpenSSLLibrary
    ) -> Standing? {
        let response = answer.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return library.decodeAnswer(nil, &position, bytes.count)
        }
        defer { library.freeAnswer(response) }
        guard response != nil, let basic = library.basicAnswer(response) else { return nil }
        defer { library.freeBasicAnswer(basic) }
        let store = AnchorStore([issuer], library)
        VerificationParameters.set(library.parametersOfStore(store.pointer), at: date, library)
        let list = CertificateList([issuer], library)
        guard library.verifyAnswer(basic, list.pointer, store.pointer, trustsOthers) == 1 else { return nil }
        var (status, reason): (Int32, Int32) = (-1, -1)
        var (revoked, from, until): (OpaquePointer?, OpaquePointer?, OpaquePointer?)
        guard library.findStatus(basic, identifier, &status, &reason, &revoked, &from, &until) == 1 else { return nil }
        var time = time_t(date.secondsSince1970)
        guard library.compareTime(from, &time) < 0, until == nil || library.compareTime(until, &time) > 0 else {
            return nil
        }
        // V_OCSP_CERTSTATUS_GOOD and V_OCSP_CERTSTATUS_REVOKED; a certificate may be unknown to the responder.
        return status == 0 ? .good : status == 1 ? .revoked : nil
    }
}
