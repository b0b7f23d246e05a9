// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

/// Files that ask for less of scrypt than N = 2^14, r = 8: refused, and it is said why.
struct WeakWorkTests {
    private static let secret = SecretBytes(Array("a secret".utf8))

    @Test("the passcode slot of a store", arguments: [ScryptParameters.testing, .minimum, .minimumInFiles])
    func passcode(_ work: ScryptParameters) throws {
        let store = try TestStore()
        let keychain = store.open(work: work)
        #expect(keychain.add("anna", "secret") == .done)
        try keychain.device.setPasscode(Self.secret)
        let reader = store.open(work: .standard)
        if work == .minimumInFiles {
            try reader.device.unlock(passcode: Self.secret)
            #expect(reader.secret("anna") == .secret("secret"))
        } else {
            let failure = try #require(reader.failure())
            #expect(failure.status == .notAvailable && failure.reason.contains("less work than is allowed"))
            #expect(store.open(work: work).failure()?.status == .interactionNotAllowed)
        }
    }

    @Test("the secret of a backup", arguments: [ScryptParameters.testing, .minimumInFiles])
    func backup(_ work: ScryptParameters) throws {
        let store = try TestStore()
        let keychain = store.open(work: work)
        #expect(keychain.add("anna", "secret") == .done)
        let path = store.folder.path(of: "backup")
        _ = try keychain.createBackup(at: path, secret: Self.secret)
        let target = try TestStore()
        func restore() throws {
            let location = KeychainLocation(path: target.path)
            _ = try EmbeddedKeychain.restoreBackup(from: path, secret: Self.secret, to: location)
        }
        if work == .minimumInFiles {
            try restore()
            #expect(target.open().secret("anna") == .secret("secret"))
        } else {
            let failure = #expect(throws: KeychainError.self) { try restore() }
            #expect(failure?.status == .notAvailable)
            #expect(failure?.reason.contains("less work than is allowed") ?? false)
        }
    }

    @Test("the header of an application password", arguments: [ScryptParameters.testing, .minimumInFiles])
    func applicationPassword(_ work: ScryptParameters) throws {
        let store = try TestStore()
        let context = AuthenticationContext(applicationPassword: Self.secret)
        let entries: [String: PropertyValue] = .access(.applicationPassword) + .context(context)
        #expect(store.open(work: work).add("anna", "secret", with: entries) == .done)
        let answer = store.open(work: .standard).secret("anna", .context(context))
        #expect(answer == (work == .minimumInFiles ? .secret("secret") : .failed(.decode)))
        let report = try store.open(work: .standard).check()
        #expect(report.damagedRows.map(\.damage) == (work == .minimumInFiles ? [] : ["passwordWork"]))
        #expect(
            store.open(work: work).secret("anna", .context(context))
                == (work == .minimumInFiles ? .secret("secret") : .failed(.decode))
        )
    }
}
