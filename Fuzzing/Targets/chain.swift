// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainTrust

/// Certificates that somebody sends: each behind two octets with its length, the last of them an anchor as well, and
/// the first of them an OCSP response.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = Array(UnsafeBufferPointer(start: bytes, count: count))[...]
    var certificates: [[UInt8]] = []
    while input.count > 2 {
        let length = Int(input.removeFirst()) << 8 | Int(input.removeFirst())
        certificates.append(Array(input.prefix(length)))
        input = input.dropFirst(length)
    }
    let policies: [CertificatePolicy] = [
        .basicX509, .tls(isServer: true, host: "www.example.com"),
        .purpose(.emailProtection, isServer: true, name: "a@example.com"), .revocation(1),
    ]
    let date = Timestamp(secondsSinceReferenceDate: 800_000_000)
    var request = TrustRequest(certificates: certificates, policies: policies, date: date)
    request.anchors = Array(certificates.suffix(1))
    request.usesSystemAnchors = false
    request.ocspResponses = Array(certificates.prefix(1))
    do {
        let evaluation = try TrustEvaluator.evaluate(request)
        precondition(evaluation.isTrusted == (evaluation.mainFinding == nil))
        let exceptions = TrustExceptions(evaluation)
        precondition(TrustExceptions(encoding: exceptions.encoding) == exceptions, "what is written is read again")
    } catch {
        preconditionFailure("nothing can judge: \(error)")
    }
    return 0
}
