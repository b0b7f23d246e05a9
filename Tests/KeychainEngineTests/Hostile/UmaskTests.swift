// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// A process whose umask takes away every right, its own user's as well.
struct UmaskTests {
    @Test("the files of a keychain and of a backup are their owner's all the same, and can be opened again")
    func nothingIsLeft() async {
        await #expect(processExitsWith: .success) {
            #expect(ChildProcess.becomeOrdinaryUser())
            let store = try TestStore()
            umask(0o777)
            #expect(store.open().add("anna", "secret") == .done)
            let keychain = store.open()
            #expect(keychain.secret("anna") == .secret("secret"))
            #expect(keychain.add("bert", "secret") == .done)
            let backup = store.folder.path(of: "backup")
            _ = try keychain.createBackup(at: backup, secret: SecretBytes([1]))
            #expect(Self.mode(store.path) == 0o700)
            for name in ["keychain.db", "keychain.db-wal", "keychain.db-shm", "root.key"] {
                #expect(Self.mode(store.file(name)) == 0o600, "\(name)")
            }
            #expect(Self.mode(backup) == 0o600)
        }
    }

    private static func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }
}
