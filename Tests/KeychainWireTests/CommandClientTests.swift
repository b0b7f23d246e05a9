// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing
import WireTestSupport

/// The client of a command, which a daemon replaces.
struct CommandClientTests {
    @Test("every client that a command holds is its client, and is replaced by another one")
    func replaced() {
        let other = Client(accessGroups: ["other"], profile: .macOS)
        var names: Set<String> = []
        for sample in WireSamples.commands {
            let held = Client.all(in: sample)
            #expect(held == [sample.client].compactMap(\.self), "\(sample.row.name)")
            var command = sample
            command.client = other
            #expect(Client.all(in: command) == held.map { _ in other }, "\(sample.row.name)")
            command.client = sample.client
            #expect(command == sample, "\(sample.row.name)")
            if !held.isEmpty { names.insert(sample.row.name) }
        }
        #expect(names.isSuperset(of: ["SecItemAdd", "SecItemCopyMatching", "explain SecItemDelete"]))
    }

    @Test("a command that holds no client gets none")
    func none() {
        var command = KeychainCommand.device(.status)
        command.client = Client(accessGroups: ["a"])
        #expect(command == .device(.status))
        #expect(command.client == nil)
    }
}
