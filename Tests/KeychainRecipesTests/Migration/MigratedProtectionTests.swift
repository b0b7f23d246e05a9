// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainRecipes
import KeychainTesting
import Security
import Testing

@Suite("The protection of a secret that was in the keychain before", .keychain) struct MigratedProtectionTests {
    private let place: TemporaryPlace
    private let file: FileSecret
    private let item = GenericPassword(service: "com.example.app", account: "token")
    private let keychain = SystemKeychain()
    private let asked = Protection.guarded(.userPresence, accessible: .whenPasscodeSetThisDeviceOnly)
    private var device: VirtualDevice { get throws { try #require(App.current).device } }

    init() throws {
        place = try TemporaryPlace()
        file = FileSecret(try place.file("token", .secret))
    }

    private func migration(_ protection: Protection, _ policy: SecretMigration.ConflictPolicy) -> SecretMigration {
        SecretMigration(from: file, to: item, protection: protection, in: keychain, onConflict: policy)
    }

    @Test(
        "becomes what was asked for before the old copy goes",
        arguments: [(Data.secret, SecretMigration.Outcome.finishedEarlierRun), (.other, .keptKeychain)]
    )
    func protects(kept: Data, outcome: SecretMigration.Outcome) throws {
        try keychain.set(kept, for: item, protection: .accessible(.always))
        #expect(try migration(asked, .keepKeychain).run(authentication: .allowed) == outcome)
        #expect(try keychain.attributes(of: item, authentication: .allowed)?.protection == asked)
        #expect(try keychain.data(for: item, authentication: .allowed) == kept)
        #expect(try file.read() == nil)
    }

    @Test("is the old one where the new one is refused, and the old copy stays", .keychain(passcode: nil))
    func refused() throws {
        try keychain.set(Data.secret, for: item, protection: .accessible(.always))
        let error = try #require(throws: MigrationError.self) {
            try migration(asked, .stop).run(authentication: .allowed)
        }
        #expect(error.step == .store)
        #expect(try file.read() == .secret)
        #expect(try keychain.attributes(of: item)?.protection == .accessible(.always))
    }
}
