// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainKeys

/// Every encoding of a key: what reads as one must be written to something that reads as the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let input = Array(UnsafeBufferPointer(start: bytes + 1, count: count - 1))
    let secret = SecretBytes(input)
    switch bytes[0] % 7 {
    case 0: check(try? PrivateKey(externalRepresentation: secret, .ellipticCurve))
    case 1: check(try? PrivateKey(externalRepresentation: secret, .rsa))
    case 2: check(try? PrivateKey(pkcs8: secret))
    case 3: check(try? PrivateKey(sec1: secret))
    case 4: check(try? PublicKey(externalRepresentation: input, .ellipticCurve))
    case 5: check(try? PublicKey(externalRepresentation: input, .rsa))
    default: check(try? PublicKey(subjectPublicKeyInfo: input))
    }
    return 0
}

private func check(_ key: PrivateKey?) {
    guard let key else { return }
    guard let pkcs8 = key.pkcs8, let external = key.externalRepresentation,
        let again = try? PrivateKey(pkcs8: pkcs8), again.externalRepresentation == external,
        let other = try? PrivateKey(externalRepresentation: external, key.type), other.publicKey == key.publicKey
    else { preconditionFailure("the private key does not round-trip") }
}

private func check(_ key: PublicKey?) {
    guard let key else { return }
    guard let again = try? PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo), again == key else {
        preconditionFailure("the public key does not round-trip")
    }
}
