// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// HMAC-SHA-256 (RFC 2104, FIPS 198-1).
enum Authentication {
    static let byteCount = 32

    static func code(_ message: some DataProtocol, under key: SymmetricKey) -> SymmetricKey {
        SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: message, using: key))
    }

    static func isRight(_ code: ArraySlice<UInt8>, _ message: ArraySlice<UInt8>, under key: SymmetricKey) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(Array(code), authenticating: message, using: key)
    }
}
