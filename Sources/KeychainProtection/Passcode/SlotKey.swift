// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The key of a keybag's passcode slot, in locked memory: what a right passcode gives.
public struct SlotKey: Sendable {
    let key: LockedKey

    init(_ key: SymmetricKey) throws(ProtectionError) {
        self.key = try LockedMemory(keyCapacity: 1).store(key)
    }
}

extension SlotKey {
    /// A slot key on its way to another process, in two halves that go separate ways.
    ///
    /// Either half alone is worth nothing: the one is a random key, the other the slot key wrapped under it by AES key wrap
    /// (RFC 3394).
    public struct Handover: Sendable {
        /// The random key: 32 bytes.
        public let key: SecretBytes
        /// The wrapped slot key: 40 bytes.
        public let wrapped: [UInt8]

        /// Two halves that arrived.
        public init(key: SecretBytes, wrapped: [UInt8]) {
            self.key = key
            self.wrapped = wrapped
        }
    }

    /// Two fresh halves of the key.
    public func handOver() throws(ProtectionError) -> Handover {
        let half = SymmetricKey.random()
        let wrapped = try key.withKey { key throws(ProtectionError) in try KeyWrap.wrap(key, under: half) }
        return Handover(key: half.withUnsafeBytes(SecretBytes.init(copying:)), wrapped: wrapped)
    }

    /// Puts two halves together; `nil` when they do not belong together, or when there is no memory for the key.
    public init?(_ handover: Handover) {
        guard handover.key.count == LockedKey.byteCount else { return nil }
        let half = handover.key.withUnsafeBytes { SymmetricKey(data: $0) }
        guard let key = KeyWrap.unwrap(handover.wrapped[...], under: half),
            let slotKey = try? SlotKey(key)
        else { return nil }
        self = slotKey
    }
}
