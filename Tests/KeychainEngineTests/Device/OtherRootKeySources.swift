// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import KeychainHost
import KeychainProtection
import Synchronization

/// Keeps keys by their names in the memory of this process, for one store.
final class Safe: ReplaceableRootKeySource {
    static let inPlace = "in place"

    let keys = Mutex<[String: SecretBytes]>([:])

    var kind: RootKeyKind { .software }

    func rootKey(for folder: PrivateDirectory) throws(RootKeyError) -> any RootKey { try key(Self.inPlace) }

    func rootKeyForNewStore(in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
        keys.withLock { $0[Self.inPlace] = $0[Self.inPlace] ?? Self.random() }
        return try key(Self.inPlace)
    }

    func rootKey(under keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
        try key(name(under: keybag) ?? Self.inPlace)
    }

    func bytes(of keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) -> SecretBytes {
        let name = name(under: keybag) ?? Self.inPlace
        guard let bytes = keys.withLock({ $0[name] }) else { throw .missing(path: name) }
        return bytes
    }

    func makeNext(_ bytes: SecretBytes?, in folder: PrivateDirectory) throws(RootKeyError) -> NextRootKey {
        keys.withLock { $0["next"] = bytes ?? Self.random() }
        return NextRootKey(name: "next", key: try key("next"))
    }

    func remove(_ next: NextRootKey, in folder: PrivateDirectory) { keys.withLock { $0[next.name] = nil } }

    func hasNext(in folder: PrivateDirectory) -> Bool { keys.withLock { $0["next"] != nil } }

    func settle(_ keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) {
        guard let name = name(under: keybag) else { throw .protection(.wrongRootKey) }
        keys.withLock { keys in keys = keys[name].map { [Self.inPlace: $0] } ?? [:] }
    }

    func removeKeys(wasInPlace: Bool, in folder: PrivateDirectory) {
        keys.withLock { $0 = wasInPlace ? [:] : $0.filter { $0.key == Self.inPlace } }
    }

    private func name(under keybag: [UInt8]) -> String? {
        keys.withLock(\.self).first { _, bytes in
            guard let key = try? SoftwareRootKey(copying: bytes.unprotectedCopy) else { return false }
            return (try? OpenKeybag(keybag, rootKey: key, floor: ScryptFloor(of: .minimum))) != nil
        }?.key
    }

    private func key(_ name: String) throws(RootKeyError) -> any RootKey {
        guard let bytes = keys.withLock({ $0[name] }),
            let key = try? SoftwareRootKey(copying: bytes.unprotectedCopy)
        else { throw .missing(path: name) }
        return key
    }

    private static func random() -> SecretBytes {
        SymmetricKey(size: .bits256).withUnsafeBytes { SecretBytes(copying: $0) }
    }
}
