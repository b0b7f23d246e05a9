// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import Keychain
import KeychainRecipes
import KeychainTesting
import Security
import Testing

private let entitlements = Entitlements(
    team: "TEAMID1234",
    bundleIdentifier: "com.example.app",
    keychainAccessGroups: ["com.example.app", "com.example.shared"]
)

@Suite("Moving items to another access group", .keychain(entitlements: entitlements)) struct AccessGroupMoveTests {
    private let own = "TEAMID1234.com.example.app"
    private let shared = "TEAMID1234.com.example.shared"
    private let keychain = SystemKeychain()
    private let item = GenericPassword(service: "com.example.app", account: "token")
    private var device: VirtualDevice { get throws { try #require(App.current).device } }

    private func move(_ policy: AccessGroupMove.CollisionPolicy = .stop) -> AccessGroupMove {
        AccessGroupMove(from: own, to: shared, in: keychain, onCollision: policy)
    }

    private func outcome(_ move: AccessGroupMove, _ authentication: Authentication = .forbidden) throws -> String {
        let entry = try #require(try move.run([item], authentication: authentication).entries.first)
        return "\(entry.outcome)".split(separator: "(").first.map(String.init) ?? ""
    }

    private func store(_ text: String, in group: String, _ protection: Protection = .accessible(.whenUnlocked)) throws {
        try keychain.set(text, for: item.inAccessGroup(group), protection: protection)
    }

    private func secrets() throws -> [String?] {
        try [own, shared].map { try keychain.string(for: item.inAccessGroup($0), authentication: .allowed) }
    }

    @Test("moves in place, and has nothing to do the next time") func moves() throws {
        try store("secret", in: own)
        #expect(try outcome(move()) == "moved")
        #expect(try secrets() == [nil, "secret"])
        #expect(try outcome(move()) == "alreadyMoved")
        #expect(try outcome(AccessGroupMove(from: shared, to: shared, in: keychain)) == "alreadyMoved")
        try keychain.delete(item.inAccessGroup(shared))
        #expect(try outcome(move()) == "absent")
    }

    @Test("names a group that the app may not use, and changes nothing") func entitlement() throws {
        try store("secret", in: own)
        for (source, target) in [(own, "TEAMID1234.other"), ("TEAMID1234.other", shared)] {
            do {
                try AccessGroupMove(from: source, to: target, in: keychain).run([item])
                Issue.record("moved")
            } catch .missingEntitlement(let group) {
                #expect(group == "TEAMID1234.other")
            } catch { Issue.record(error) }
        }
        #expect(try secrets() == ["secret", nil])
    }

    @Test("refuses while an item is locked, and moves none") func locked() throws {
        try store("secret", in: own)
        let open = GenericPassword(service: "com.example.app", account: "open", accessGroup: own)
        try keychain.set("open", for: open, protection: .accessible(.afterFirstUnlock))
        try device.lock()
        do {
            try move().run([open, item])
            Issue.record("moved")
        } catch .locked(let error) { #expect(error.items.count == 1) } catch { Issue.record(error) }
        #expect(try keychain.string(for: open) == "open")
        try device.unlock()
        #expect(try secrets() == ["secret", nil])
    }

    @Test(
        "does what the policy says about another secret in the target",
        arguments: [
            (AccessGroupMove.CollisionPolicy.stop, "collision", ["secret", "theirs"]),
            (.keepTarget, "keptTarget", [nil, "theirs"]), (.replaceTarget, "replacedTarget", [nil, "secret"]),
        ] as [(AccessGroupMove.CollisionPolicy, String, [String?])]
    )
    func collision(policy: AccessGroupMove.CollisionPolicy, expected: String, after: [String?]) throws {
        try store("secret", in: own, .accessible(.afterFirstUnlock))
        try store("theirs", in: shared)
        #expect(try outcome(move(policy)) == expected)
        #expect(try secrets() == after)
        guard policy == .replaceTarget else { return }
        #expect(try keychain.attributes(of: item.inAccessGroup(shared))?.protection == .accessible(.afterFirstUnlock))
    }

    @Test(
        "two with the same secret become one, whatever the policy",
        arguments: AccessGroupMove.CollisionPolicy.allCases
    )
    func same(policy: AccessGroupMove.CollisionPolicy) throws {
        try store("secret", in: own)
        try store("secret", in: shared)
        #expect(try outcome(move(policy)) == "merged")
        #expect(try secrets() == [nil, "secret"])
    }

    @Test("one that becomes one with the target's keeps its protection") func mergedProtection() throws {
        try store("secret", in: own, .accessible(.whenPasscodeSetThisDeviceOnly))
        try store("secret", in: shared, .accessible(.always))
        #expect(try outcome(move()) == "merged")
        let merged = try keychain.attributes(of: item.inAccessGroup(shared))
        #expect(merged?.protection == .accessible(.whenPasscodeSetThisDeviceOnly))
        #expect(try secrets() == [nil, "secret"])
    }

    @Test(
        "a failure at any call loses no secret that the policy keeps, and the next run finishes",
        arguments: Faults.Moment.allCases
    )
    func faults(moment: Faults.Moment) throws {
        let device = try device
        // The first two calls ask for the groups.
        for call in 2...20 {
            try keychain.deleteAll(matching: .all(ofService: "com.example.app"))
            try store("secret", in: own)
            try store("theirs", in: shared)
            device.calls.reset()
            let fault = device.faults.fail(with: errSecIO, moment, skipping: call)
            let first = try outcome(move(.replaceTarget))
            fault.remove()
            // A call that the keychain refuses by itself cannot fail after its effect.
            #expect(first == (device.calls.contains(where: \.isInjected) ? "failed" : "replacedTarget"))
            #expect(try secrets().contains("secret"))
            _ = try outcome(move(.replaceTarget))
            #expect(try secrets() == [nil, "secret"], "call \(call)")
            if fault.count == 0 { return }
        }
        Issue.record("There are more calls than were made to fail.")
    }

    @Test("keeping the target's reads it first: the source's stays when it cannot be read")
    func unreadableTarget() throws {
        let device = try device
        let guarded = Protection.guarded(.userPresence, accessible: .whenUnlockedThisDeviceOnly)
        try store("secret", in: own)
        try store("theirs", in: shared, guarded)
        let privateKey = P256.Signing.PrivateKey()
        let key = try keychain.add(privateKey, tag: "key", accessGroup: own, protection: .accessible(.whenUnlocked))
        try keychain.add(privateKey, tag: "key", accessGroup: shared, protection: guarded)
        device.owner.answer = .cancels
        let report = try move(.keepTarget).run([item, key], authentication: .allowed)
        #expect(report.entries.count == 2)
        for entry in report.entries {
            guard case .failed(let error) = entry.outcome else {
                Issue.record("\(entry.outcome)")
                continue
            }
            #expect(error.kind == .cancelled)
        }
        device.owner.answer = .succeeds
        #expect(try secrets() == ["secret", "theirs"])
        for group in [own, shared] { #expect(try keychain.contains(key.inAccessGroup(group))) }
        let last = try move(.keepTarget).run([item, key], authentication: .allowed)
        #expect(last.entries.map { "\($0.outcome)" } == ["keptTarget", "keptTarget"])
    }

    @Test("prompts only where that is allowed, and moves nothing that requires authentication without")
    func guarded() throws {
        try store("secret", in: own, .guarded(.userPresence, accessible: .whenUnlockedThisDeviceOnly))
        let device = try device
        let report = try move().run([item])
        guard case .failed(let error) = try #require(report.entries.first).outcome else {
            Issue.record("\(report.entries)")
            return
        }
        #expect(error.needsAuthentication)
        #expect(device.owner.questions.isEmpty)
        device.owner.answer = .cancels
        #expect(try outcome(move(), .allowed) == "failed")
        device.owner.answer = .succeeds
        #expect(try outcome(move(), .allowed) == "moved")
        #expect(try outcome(move()) == "alreadyMoved")
        #expect(try secrets() == [nil, "secret"])
    }
}
