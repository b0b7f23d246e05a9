// SPDX-License-Identifier: Apache-2.0

import CommonCrypto
import Foundation

/// The SHA-256 digest of a message, in parts.
public func fingerprint(_ parts: [Data]) -> [UInt8] {
    var context = CC_SHA256_CTX()
    CC_SHA256_Init(&context)
    for part in parts {
        _ = part.withUnsafeBytes { CC_SHA256_Update(&context, $0.baseAddress, CC_LONG($0.count)) }
    }
    var digest = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
    CC_SHA256_Final(&digest, &context)
    return digest
}
