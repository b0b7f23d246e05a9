// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// A certificate in DER.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    guard let certificate = try? Certificate(der: input) else { return 0 }
    precondition(certificate.der == input, "a certificate is its bytes")
    precondition(certificate.normalizedSubject.count <= count, "normalizing a name only removes bytes")
    _ = certificate.reference
    let now = Timestamp(secondsSinceReferenceDate: 800_000_000)
    _ = certificate.satisfies(.tls(isServer: true, host: "www.example.com"), at: now)
    _ = certificate.names(emailAddress: "mouse@example.com")
    return 0
}
