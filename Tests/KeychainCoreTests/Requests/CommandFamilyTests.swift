// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization
import Testing

/// The families that a keychain names: what reaches it, and what is refused before.
struct CommandFamilyTests {
    private static let samples: [(CommandFamily, KeychainCommand)] = [
        (.items, .items(KeychainRequest(.copyMatching([:]), client: Client(accessGroups: ["example"])))),
        (.device, .device(.status)), (.authentication, .authentication(.biometry)), (.enclave, .enclave(.kind)),
        (.maintenance, .maintenance(.check)), (.files, .files(.lockAll)), (.move, .maintenance(.takeOver)),
    ]

    @Test("a keychain gets the commands of the families that it names, and the others are errSecUnimplemented")
    func refusal() throws {
        for (family, _) in Self.samples {
            let keychain = NamingKeychain(family)
            for (other, command) in Self.samples where other != family {
                let error = #expect(throws: KeychainError.self, "\(command)") { try keychain.perform(command) }
                #expect(error?.status == .unimplemented)
                #expect(error?.reason.contains(command.row.name) == true)
            }
            #expect(keychain.count == 0)
            for (own, command) in Self.samples where own == family { #expect(try keychain.perform(command) == .done) }
            #expect(keychain.count == 1)
        }
    }

    @Test("the end of a context counts for nothing where contexts are not served, and is no error")
    func endedContext() throws {
        let keychain = NamingKeychain(.files)
        let context = try #require(Bytes16(Array(repeating: 0, count: 16)))
        let ends: [KeychainCommand.Authentication] = [
            .invalidate(context), .release(context), .forgetPassword(of: context),
        ]
        for command in ends {
            #expect(try keychain.perform(.authentication(command)) == .done)
        }
        #expect(keychain.count == 0)
        let error = #expect(throws: KeychainError.self) {
            try keychain.perform(.authentication(.status(of: context)))
        }
        #expect(error?.status == .unimplemented)
    }

    @Test("a keychain that is not there names no family wrongly: each command fails with its reason")
    func unavailable() {
        let keychain = UnavailableKeychain(reason: "no disk")
        for (_, command) in Self.samples {
            let error = #expect(throws: KeychainError.self) { try keychain.perform(command) }
            #expect(error?.reason == "no disk")
        }
    }
}

/// A keychain that counts what reaches it.
private final class NamingKeychain: KeychainBackend {
    let families: CommandFamily
    private let commands = Atomic(0)

    init(_ families: CommandFamily) { self.families = families }

    var count: Int { commands.load(ordering: .relaxed) }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        commands.add(1, ordering: .relaxed)
        return .done
    }
}
