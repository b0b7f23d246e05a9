// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import KeychainHost
import KeychainProtection

/// Keeps one root key, for whatever store; each store finds it by settings of its own.
package struct Chip: ConfiguredRootKeySource {
    private let key: ChipKey

    /// A chip with a random key.
    package init(_ kind: RootKeyKind = .tpm) throws { key = ChipKey(key: try .ephemeral(), kind: kind) }

    /// The chip that several processes have.
    package static func shared() throws -> Chip {
        let key = Array(1...UInt8(SoftwareRootKey.byteCount)).withUnsafeBytes { bytes in
            Result { () throws(ProtectionError) in try SoftwareRootKey(bytes) }
        }
        return Chip(key: ChipKey(key: try key.get(), kind: .tpm))
    }

    private init(key: ChipKey) { self.key = key }

    /// As what kind of key its own passes.
    package var kind: RootKeyKind { key.kind }

    /// A handle, and something that no other store has.
    package func newParameters() -> [RootKeySettings.Parameter] {
        [RootKeySettings.Parameter("handle", Self.handle), RootKeySettings.Parameter("label", RandomName.make())]
    }

    /// Its key, by the handle alone.
    package func rootKey(by settings: RootKeySettings) throws(RootKeySettingsFault) -> any RootKey {
        guard settings["handle"] == Self.handle else { throw .unreachable("the chip has no key of that handle") }
        return key
    }

    private static let handle = "0x81000001"
}

/// The key of a chip.
private struct ChipKey: RootKey {
    let key: SoftwareRootKey
    let kind: RootKeyKind

    func wrap(_ key: SymmetricKey, for store: Bytes16) throws(ProtectionError) -> [UInt8] {
        try self.key.wrap(key, for: store)
    }

    func unwrap(_ wrapped: [UInt8], for store: Bytes16) throws(ProtectionError) -> SymmetricKey {
        try key.unwrap(wrapped, for: store)
    }

    func entangle(_ input: SecretBytes, for store: Bytes16) throws(ProtectionError) -> SymmetricKey {
        try key.entangle(input, for: store)
    }
}
