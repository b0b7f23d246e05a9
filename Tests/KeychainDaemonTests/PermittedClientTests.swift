// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainServer
import KeychainTestSupport
import Testing
import WireTestSupport

@testable import KeychainDaemon

/// The client of a program's commands, as the daemon executes them.
struct PermittedClientTests {
    private static let foreign = "ABCDEFGHIJKLMNOPQRSTUVWX23.b"

    @Test("no command of a program is executed with an access group that has another owner", arguments: [false, true])
    func foreignGroups(isSystemService: Bool) throws {
        let keychain = EmbeddedKeychain.inMemory()
        let program = UserProgram(
            ProcessInstance(identifier: 7, startTime: 1),
            as: ClientIdentity(.anonymous),
            keychain: keychain,
            proofs: PasscodeProofs(),
            life: DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {}),
            isSystemService: isSystemService
        )
        var names: Set<String> = []
        for sample in WireSamples.commands where !Client.all(in: sample).isEmpty {
            var command = sample
            command.client?.accessGroups = ["a", Self.foreign]
            command.client?.isNetworkExtension = true
            // It executes nothing.
            if case .explain = command, command.row.right == .owner { continue }
            guard let permitted = try? program.permitted(command) else {
                #expect(isSystemService && command.row.right == .owner, "\(command.row.name)")
                continue
            }
            let executed = Client.all(in: permitted)
            #expect(executed.map(\.accessGroups) == [["a"]], "\(command.row.name)")
            #expect(executed.map(\.isNetworkExtension) == [false], "\(command.row.name)")
            names.insert(command.row.name)
        }
        #expect(names.isSuperset(of: ["SecItemAdd", "SecItemCopyMatching", "SecItemDelete", "explain SecItemDelete"]))
    }
}
