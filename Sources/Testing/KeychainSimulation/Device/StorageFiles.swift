// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// The files of a device's keychain, which are set aside while they are to be damaged.
struct StorageFiles {
    let folder: String

    private static let aside = ".aside"

    /// Every file that a condition sets aside, including those of the log.
    private static let names = ["", "-wal", "-shm"].map { Store.fileName + $0 } + [RootKeyFile.name]

    func begin(_ condition: StorageCondition) throws(KeychainError) {
        switch condition {
        case .unreadable:
            for name in Self.names where name != RootKeyFile.name { try move(name, name + Self.aside) }
            try write(Data("This is no store of a keychain.".utf8), to: Store.fileName)
        case .rootKeyMissing: try move(RootKeyFile.name, RootKeyFile.name + Self.aside)
        case .rootKeyDamaged:
            try move(RootKeyFile.name, RootKeyFile.name + Self.aside)
            try write(Data("not a key".utf8), to: RootKeyFile.name)
        default: break
        }
    }

    /// Restores the files that were set aside.
    func end() throws(KeychainError) {
        for name in Self.names where FileManager.default.fileExists(atPath: path(name + Self.aside)) {
            try? FileManager.default.removeItem(atPath: path(name))
            try move(name + Self.aside, name)
        }
    }

    private func move(_ name: String, _ other: String) throws(KeychainError) {
        guard FileManager.default.fileExists(atPath: path(name)) else { return }
        do { try FileManager.default.moveItem(atPath: path(name), toPath: path(other)) } catch {
            throw KeychainError(
                .io,
                "a file of the device cannot be moved",
                kind: .storage(.file),
                facts: ["error": "\(error)"]
            )
        }
    }

    private func write(_ data: Data, to name: String) throws(KeychainError) {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: path(name), contents: data, attributes: attributes) else {
            throw KeychainError(.io, "a file of the device cannot be written")
        }
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }
}
