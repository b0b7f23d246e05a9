// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainKeys

@testable import KeychainContainers
@testable import KeychainMessages

/// A signed or an encrypted message.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    _ = try? TimestampInfo(input)
    _ = try? RSAPaddingParameters(input, isEncryption: false)
    _ = try? RSAPaddingParameters(input, isEncryption: true)
    switch try? CryptographicMessage(input) {
    case .signed(let message): check(message, count)
    case .enveloped(let message): decrypt(message, count)
    case nil: break
    }
    return 0
}

private func check(_ message: SignedData, _ count: Int) {
    precondition(message.contents.map { $0.count <= count } ?? true, "contents are a part of the message")
    precondition(message.certificates.reduce(0) { $0 + $1.count } <= count, "certificates are parts of the message")
    guard let written = try? SignedData(certificates: message.certificates).encodedCertificates() else {
        preconditionFailure("certificates can be written")
    }
    precondition((try? SignedData(written))?.certificates == message.certificates, "what is written is read again")
    let certificates = message.certificates.compactMap { try? Certificate(der: $0) }
    for signature in message.signatures.prefix(4) {
        _ = signature.namedTime
        for certificate in certificates.prefix(4) {
            _ = certificate.isMeant(by: signature.signer)
            let inside = SignatureChecker(message, detached: nil).check(signature, by: certificate)
            precondition(inside != .needsContents || message.contents == nil, "contents are in the message")
            _ = SignatureChecker(message, detached: [1]).check(signature, by: certificate)
        }
        let found = NamedCertificates(certificates).certificate(of: signature.signer)
        precondition(
            found == certificates.first { $0.isMeant(by: signature.signer) },
            "the certificate of a signer is the first that it means"
        )
        if let token = signature.timestampToken { _ = SignatureTimestamp(token, of: signature) }
    }
}

/// Keys of no recipient.
private let keys: [PrivateKey] = [
    try? PrivateKey(generating: .rsa, sizeInBits: 1024), try? PrivateKey(generating: .ellipticCurve, sizeInBits: 256),
]
.compactMap(\.self)

private func decrypt(_ message: EnvelopedData, _ count: Int) {
    for recipient in message.recipients.prefix(2) {
        for key in keys {
            let contents = try? MessageDecryption.contents(of: message, for: recipient, with: key)
            precondition((contents ?? nil).map { $0.count <= count } ?? true, "contents are a part of the message")
        }
    }
}
