// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

/// `kill -9` while a store changes hands: it has one owner or the other, and all of its items.
@Suite(.timeLimit(.minutes(30)))
struct OwnerKillTests {
    @Test("a store whose move is killed belongs to one of the two, who finds everything")
    func killedMoves() throws {
        let folder = try StormFolder()
        let filling = try folder.start()
        try filling.send("adds item 12")
        expectDone(try filling.steps(upTo: "done"))
        for round in 0..<20 {
            let process = try folder.start()
            try process.send("hand-over all 100000")
            for _ in 0..<(round % 4) { _ = try process.nextStep() }
            // Not a wait for anything: the delay moves the kill to any point of a move.
            usleep(.random(in: 0..<3_000))
            try process.kill9()
            expectDone(try process.remainingSteps())

            let owners = [StoreOwner.embedded, .daemon].filter { owner in
                (try? Self.keychain(folder.path, owner).checkOwner()) == true
            }
            #expect(owners.count == 1)
            let owner = try #require(owners.first)
            if owner == .daemon { try Self.keychain(folder.path, .daemon).handOver(to: .embedded) }
            expectKept((0..<12).map { "item-\($0)" }, in: try folder.items())
        }
    }

    private static func keychain(_ path: String, _ owner: StoreOwner) -> EmbeddedKeychain {
        var device = DeviceOptions()
        device.passwordWork = .testing
        device.owner = owner
        return EmbeddedKeychain(at: KeychainLocation(path: path), device: device)
    }
}
