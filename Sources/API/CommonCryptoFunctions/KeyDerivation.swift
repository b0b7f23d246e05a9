// SPDX-License-Identifier: Apache-2.0

import CommonCrypto
import Crypto
import CryptoExtras
import Foundation

/// `CCKeyDerivationPBKDF`.
@_cdecl("CCKeyDerivationPBKDF")
public func keyDerivationPBKDF(
    _ algorithm: CCPBKDFAlgorithm,
    _ password: UnsafePointer<CChar>?,
    _ passwordCount: Int,
    _ salt: UnsafePointer<UInt8>?,
    _ saltCount: Int,
    _ function: CCPseudoRandomAlgorithm,
    _ rounds: CUnsignedInt,
    _ derivedKey: UnsafeMutablePointer<UInt8>?,
    _ derivedKeyCount: Int
) -> CInt {
    guard algorithm == kCCPBKDF2, let function = hashFunction(function), rounds > 0, let password, let salt,
        let derivedKey, derivedKeyCount > 0, passwordCount >= 0, saltCount >= 0
    else { return CInt(kCCParamError) }
    do {
        let key = try KDF.Insecure.PBKDF2.deriveKey(
            from: UnsafeRawBufferPointer(start: password, count: passwordCount),
            salt: UnsafeRawBufferPointer(start: salt, count: saltCount),
            using: function,
            outputByteCount: derivedKeyCount,
            unsafeUncheckedRounds: Int(rounds)
        )
        let room = UnsafeMutableRawBufferPointer(start: derivedKey, count: derivedKeyCount)
        key.withUnsafeBytes { room.copyMemory(from: $0) }
        return CInt(kCCSuccess)
    } catch {
        return CInt(kCCUnspecifiedError)
    }
}

/// `CCCalibratePBKDF`.
@_cdecl("CCCalibratePBKDF")
public func calibratePBKDF(
    _ algorithm: CCPBKDFAlgorithm,
    _ passwordCount: Int,
    _ saltCount: Int,
    _ function: CCPseudoRandomAlgorithm,
    _ derivedKeyCount: Int,
    _ milliseconds: UInt32
) -> CUnsignedInt {
    guard passwordCount >= 0, saltCount >= 0, derivedKeyCount > 0 else { return 0 }
    let password = [CChar](repeating: 97, count: passwordCount + 1)
    let salt = [UInt8](repeating: 0, count: saltCount + 1)
    var key = [UInt8](repeating: 0, count: derivedKeyCount)
    var status: CInt = 0
    let elapsed = ContinuousClock().measure {
        status = keyDerivationPBKDF(
            algorithm,
            password,
            passwordCount,
            salt,
            saltCount,
            function,
            minimumRounds,
            &key,
            derivedKeyCount
        )
    }
    guard status == kCCSuccess else { return 0 }
    let rounds = Double(minimumRounds) * (.milliseconds(Int64(milliseconds)) / Swift.max(elapsed, .nanoseconds(1)))
    return CUnsignedInt(Swift.min(Swift.max(rounds, Double(minimumRounds)), Double(CUnsignedInt.max)))
}

/// The number of rounds to measure, and the minimum result.
private let minimumRounds: CUnsignedInt = 10_000

private func hashFunction(_ algorithm: CCPseudoRandomAlgorithm) -> KDF.Insecure.PBKDF2.HashFunction? {
    switch Int(algorithm) {
    case kCCPRFHmacAlgSHA1: .insecureSHA1
    case kCCPRFHmacAlgSHA224: .insecureSHA224
    case kCCPRFHmacAlgSHA256: .sha256
    case kCCPRFHmacAlgSHA384: .sha384
    case kCCPRFHmacAlgSHA512: .sha512
    default: nil
    }
}
