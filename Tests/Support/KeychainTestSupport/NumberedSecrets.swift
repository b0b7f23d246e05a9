// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension RecoveryKey {
    /// One of the recovery keys that several processes know by their numbers.
    package static func numbered(_ number: Int) -> RecoveryKey {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: number >> ($0 % 8 * 8)) ^ UInt8($0) }
        guard let key = RecoveryKey(SecretBytes(bytes)) else { preconditionFailure("it has the right number of bytes") }
        return key
    }
}

extension SecretBytes {
    /// One of the passcodes that several processes know by their numbers.
    package static func numbered(_ number: Int) -> SecretBytes { SecretBytes(Array("passcode \(number)".utf8)) }
}
