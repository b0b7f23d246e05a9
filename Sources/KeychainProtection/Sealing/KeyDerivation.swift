// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import KeychainCore

/// HKDF-Expand with SHA-256 (RFC 5869, section 2.3), a label for each purpose.
///
/// Everything that keys are derived from is a uniformly random key or an output of scrypt, so the first half of HKDF is left out
/// (RFC 5869, section 3.3). Such a key is never used for anything else (NIST SP 800-57 part 1, section 5.2).
enum KeyDerivation {
    /// A key for a purpose; `context` is what else the key depends on, and may be known to everybody.
    static func derive(_ purpose: String, from key: SymmetricKey, context: [UInt8] = []) -> SymmetricKey {
        Several(from: key).derive(purpose, context: context)
    }

    /// Derives keys for several purposes from one key.
    ///
    /// 32 bytes are one block of output: HMAC over the information and the octet 1. So the state that the key is already in
    /// serves all of them.
    struct Several {
        private let keyed: HMAC<SHA256>

        init(from key: SymmetricKey) { keyed = HMAC(key: key) }

        /// The key that ``KeyDerivation/derive(_:from:context:)`` gives.
        func derive(_ purpose: String, context: [UInt8] = []) -> SymmetricKey {
            var code = keyed
            code.update(data: KeyDerivation.information(purpose, context) + [1])
            return SymmetricKey(data: code.finalize())
        }
    }

    /// What a key is derived for: the format, the purpose, a zero octet, the context.
    static func information(_ purpose: String, _ context: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        bytes += "swift-keychain \(FileFormat.number) \(purpose)".utf8
        bytes.append(0)
        return bytes + context
    }
}
