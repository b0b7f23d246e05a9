// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainKeys

extension MessageSignature {
    /// The time that the signer claims, which is not verified; `nil` if there is none, or if it is not a valid time.
    package var namedTime: Timestamp? {
        attributes?.signingTime.flatMap { CertificateTime.timestamp(generalizedTime: $0) }
    }
}

/// A signature's time according to a timestamp authority (RFC 3161).
package struct SignatureTimestamp: Sendable {
    /// The time.
    package let time: Timestamp

    /// The certificate of the authority, then the others of its message.
    package let certificates: [Certificate]

    /// Verifies the token of a signature: that its authority signed it, names its own certificate (RFC 5816, section
    /// 2.2) and that it is about this signature.
    ///
    /// Whether the authority is trusted is not checked. `nil` if verification fails.
    ///
    /// - Parameters:
    ///   - token: the token, which is a message.
    ///   - signature: the signature with the token.
    ///   - others: further certificates to search for that of the authority.
    package init?(_ token: [UInt8], of signature: MessageSignature, _ others: NamedCertificates = NamedCertificates([]))
    {
        guard let message = try? SignedData(token), message.contentType == ContentType.timestamp,
            message.signatures.count == 1, let contents = message.contents, let info = try? TimestampInfo(contents),
            let digest = DigestAlgorithm(objectIdentifier: info.digestAlgorithm),
            info.digest == digest.digest(of: signature.bytes), let time = Self.time(info.time)
        else { return nil }
        let own = NamedCertificates(message.certificates.compactMap { try? Certificate(der: $0) })
        let authority = message.signatures[0]
        guard let signer = own.certificate(of: authority.signer) ?? others.certificate(of: authority.signer),
            SignatureChecker(message, detached: nil).check(authority, by: signer) == .valid,
            let named = authority.attributes?.certificateDigest,
            let function = DigestAlgorithm(objectIdentifier: named.algorithm),
            named.digest == function.digest(of: signer.der)
        else { return nil }
        self.time = time
        certificates = [signer] + own.all.filter { $0 != signer }
    }

    /// A GeneralizedTime in UTC, which may have a fraction of a second (RFC 3161, section 2.4.2).
    private static func time(_ text: String) -> Timestamp? {
        guard text.hasSuffix("Z") else { return nil }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = CertificateTime.timestamp(generalizedTime: parts[0] + "Z") else { return nil }
        guard parts.count == 2 else { return whole }
        guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let fraction = Double("0." + parts[1])
        else { return nil }
        return Timestamp(secondsSinceReferenceDate: whole.secondsSinceReferenceDate + fraction)
    }
}
