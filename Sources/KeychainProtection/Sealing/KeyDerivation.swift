// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// HKDF-SHA-256 (RFC 5869), one label per purpose.
enum KeyDerivation {
    /// A key for a purpose; `context` is what else the key depends on, and may be known to everybody.
    static func derive(_ purpose: String, from key: SymmetricKey, context: [UInt8] = []) -> SymmetricKey {
        Residue.contain {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: key,
                info: info(purpose) + context,
                outputByteCount: LockedKey.byteCount
            )
        }
    }

    /// A key that takes a second key as well, which is the salt.
    static func derive(_ purpose: String, from key: SymmetricKey, and second: SymmetricKey) -> SymmetricKey {
        Residue.contain {
            second.withUnsafeBytes { second in
                HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: key,
                    salt: second,
                    info: info(purpose),
                    outputByteCount: LockedKey.byteCount
                )
            }
        }
    }

    /// Derives keys for several purposes, and runs its first half once for all of them; inside ``Residue/contain(_:)`` only.
    ///
    /// The second half is one block of output: HMAC under the pseudo-random key over the purpose and the octet 1 (RFC 5869,
    /// section 2.3). So the state that the key is already in serves all of them.
    struct Several {
        private let keyed: HMAC<SHA256>

        init(from key: SymmetricKey) {
            let pseudoRandomKey = HKDF<SHA256>.extract(inputKeyMaterial: key, salt: [UInt8]())
            keyed = HMAC(key: SymmetricKey(data: pseudoRandomKey))
        }

        /// The key that ``KeyDerivation/derive(_:from:context:)`` gives.
        func derive(_ purpose: String) -> SymmetricKey {
            var code = keyed
            code.update(data: info(purpose) + [1])
            return SymmetricKey(data: code.finalize())
        }
    }

    private static func info(_ purpose: String) -> [UInt8] { Array("swift-keychain 1 \(purpose)".utf8) }
}
