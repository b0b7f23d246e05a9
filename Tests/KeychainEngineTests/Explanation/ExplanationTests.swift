// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainProtection
import KeychainSimulation
import KeychainTestSupport
import Testing

/// What an explanation may show, and that it leaves no trace.
struct ExplanationTests {
    private static let item: PropertyDictionary = [
        "class": .string("genp"), "acct": .string("anna"), "svce": .string("mail"), "v_Data": .data(secret),
    ]
    private static let secret = SecretBytes(Array("a-very-distinctive-secret".utf8))
    private static let client = Client(accessGroups: ["TEAMID.own"])
    private static let other = Client(accessGroups: ["TEAMID.other"])

    private static func explain(
        _ operation: KeychainRequest.Operation,
        in keychain: any KeychainBackend,
        scope: ExplanationScope = .client,
        as client: Client = client
    ) throws -> Explanation {
        try keychain.explain(
            ExplanationRequest(KeychainRequest(operation, client: client), ExplanationOptions(scope: scope))
        )
    }

    @Test("an explanation has no secret in it, of a read, an update, a delete, or an add")
    func secrets() throws {
        let keychain = EmbeddedKeychain.inMemory()
        _ = try keychain.perform(KeychainRequest(.add(Self.item), client: Self.client))
        let query: PropertyDictionary = [
            "class": .string("genp"), "r_Data": .boolean(true), "r_Attributes": .boolean(true),
        ]
        let operations: [KeychainRequest.Operation] = [
            .copyMatching(query), .delete(["class": .string("genp")]), .add(Self.item),
            .update(["class": .string("genp")], attributes: ["v_Data": .data(Self.secret)]),
            .set(["class": .string("genp")], attributes: ["v_Data": .data(Self.secret)], addition: Self.item),
        ]
        for operation in operations {
            let explanation = try Self.explain(operation, in: keychain, scope: .owner)
            var text = ""
            dump(explanation, to: &text)
            #expect(text.contains("anna"))
            #expect(!text.contains("a-very-distinctive-secret"))
            #expect(!text.contains(Self.secret.unprotectedCopy.map(String.init).joined(separator: ", ")))
        }
    }

    @Test("the items of other clients do not appear to a client, nor does who has a primary key among them")
    func scope() throws {
        let keychain = EmbeddedKeychain.inMemory()
        _ = try keychain.perform(KeychainRequest(.add(Self.item), client: Self.other))
        for operation: KeychainRequest.Operation in [
            .copyMatching(["class": .string("genp")]), .delete(["class": .string("genp")]), .add(Self.item),
        ] {
            let explanation = try Self.explain(operation, in: keychain)
            #expect(explanation.search?.population ?? [:] == [:])
            #expect(explanation.search?.candidates ?? [] == [])
            #expect(explanation.search?.patterns ?? [] == [])
            #expect(explanation.search?.terms.allSatisfy { $0.ruledOut == 0 } ?? true)
            #expect(explanation.additions.allSatisfy { $0.holder == nil })
        }
        let owner = try Self.explain(.copyMatching(["class": .string("genp")]), in: keychain, scope: .owner)
        #expect(owner.search?.candidates.map(\.group) == ["TEAMID.other"])
        #expect(owner.search?.candidates.map(\.isInClientGroups) == [false])
    }

    @Test("only an explanation for the owner is for the owner alone")
    func command() {
        let call = KeychainRequest(.copyMatching([:]), client: Self.client)
        let owner = ExplanationRequest(call, ExplanationOptions(scope: .owner))
        #expect(KeychainCommand.explain(owner).row.right == .owner)
        #expect(KeychainCommand.itemsExplained(owner).row.right == .owner)
        #expect(KeychainCommand.explain(ExplanationRequest(call)).row.right == .everyProgram)
        #expect(KeychainCommand.items(call).row.right == .everyProgram)
    }

    @Test("of an item whose keys are locked there is its level, its group and which terms it fails")
    func locked() throws {
        let device = try VirtualDevice()
        _ = try device.keychain.perform(KeychainRequest(.add(Self.item), client: Self.client))
        try device.lock()
        let query: PropertyDictionary = ["class": .string("genp"), "acct": .string("anna"), "labl": .string("x")]
        let explanation = try Self.explain(.copyMatching(query), in: device.keychain, scope: .owner)
        let item = try #require(explanation.search?.candidates.first)
        #expect(item.condition == .locked && item.access == .unknown && !item.isReadableNow)
        #expect(item.attributes == nil && item.hasData == nil && item.level == "ak")
        #expect(item.group == "TEAMID.own" && item.isSynchronizable == false)
        #expect(item.failed.compactMap { explanation.search?.terms[$0].key } == ["labl"])
        #expect(explanation.device.lockState == .locked)
        #expect(!explanation.device.availableLevels.contains(.whenUnlocked))
        let found = try Self.explain(.copyMatching(["class": .string("genp")]), in: device.keychain)
        #expect(found.status() == .interactionNotAllowed && found.authentication == nil)
        #expect(try Self.explain(.delete(["class": .string("genp")]), in: device.keychain).status() == .success)
    }

    @Test("what would be asked is told, and nobody is asked")
    func authentication() throws {
        let device = try VirtualDevice()
        var guarded = Self.item
        guarded.entries.merge([String: PropertyValue].access(.userPresence)) { $1 }
        _ = try device.keychain.perform(KeychainRequest(.add(guarded), client: Self.client))
        let asked = device.prompts.count
        let read = try Self.explain(
            .copyMatching(["class": .string("genp"), "r_Data": .boolean(true)]),
            in: device.keychain
        )
        #expect(read.authentication?.accessControls.count == 1 && read.authentication?.obstacle == nil)
        #expect(
            ExplainedAuthentication.Answer.allCases.map(read.status) == [
                .success, .authenticationFailed, .userCanceled, .interactionNotAllowed,
            ]
        )
        #expect(read.search?.candidates.first?.access == .demanded(obstacle: nil))
        var silent = PropertyDictionary(.withoutAsking)
        silent["class"] = .string("genp")
        let forbidden = try Self.explain(.copyMatching(silent), in: device.keychain)
        #expect(forbidden.authentication == nil && forbidden.status() == .interactionNotAllowed)
        #expect(device.prompts.count == asked)
    }

    @Test("a damaged item is told as one, and stays where it is")
    func damage() throws {
        let keychain = EmbeddedKeychain.inMemory()
        _ = try keychain.perform(KeychainRequest(.add(Self.item), client: Self.client))
        _ = try keychain.damage(nil)
        let before = try keychain.storedRows()
        let explanation = try Self.explain(.copyMatching(["class": .string("genp")]), in: keychain)
        #expect(explanation.status() == .decode)
        guard case .damaged? = explanation.search?.candidates.first?.condition else {
            Issue.record("it is not told as damaged")
            return
        }
        #expect(try keychain.storedRows() == before)
        let report = try keychain.check()
        #expect(report.damagedRows.map(\.isQuarantined) == [false])
    }

    @Test("a damaged item of another client does not appear, however its group is named")
    func damageOfOthers() throws {
        let keychain = EmbeddedKeychain.inMemory()
        _ = try keychain.perform(KeychainRequest(.add(Self.item), client: Self.other))
        _ = try keychain.damage(nil)
        #expect(throws: KeychainError.self) {
            try keychain.perform(KeychainRequest(.copyMatching(["class": .string("genp")]), client: Self.other))
        }
        let group = SecretBytes(Array("TEAMID.other".utf8))
        for value in [.string("TEAMID.other"), .data(group)] as [PropertyValue] {
            let query: PropertyDictionary = ["class": .string("genp"), "acct": .string("anna"), "agrp": value]
            #expect(try Self.explain(.copyMatching(query), in: keychain).search?.candidates ?? [] == [])
            #expect(try Self.explain(.copyMatching(query), in: keychain, scope: .owner).search?.candidates.count == 1)
            let own = try Self.explain(.copyMatching(query), in: keychain, as: Self.other)
            #expect(own.search?.candidates.count == 1)
        }
    }

    @Test("a keychain that is not there is explained as an empty one, and is not made")
    func missing() throws {
        let store = try TestStore()
        let explanation = try Self.explain(.copyMatching(["class": .string("genp")]), in: store.open())
        #expect(explanation.status() == .itemNotFound)
        #expect(try Self.explain(.add(Self.item), in: store.open()).status() == .success)
        #expect(!FileManager.default.fileExists(atPath: store.path))
    }

    @Test("an explanation waits for nobody who writes")
    func noWriteLock() throws {
        let store = try TestStore()
        let keychain = store.open(busyTimeoutMilliseconds: 100)
        _ = try keychain.perform(KeychainRequest(.add(Self.item), client: Self.client))
        let raw = try store.raw()
        try raw.execute("BEGIN IMMEDIATE")
        let delete = KeychainRequest.Operation.delete(["class": .string("genp")])
        #expect(try Self.explain(delete, in: keychain).effect?.count == 1)
        #expect(throws: KeychainError.self) { try keychain.perform(KeychainRequest(delete, client: Self.client)) }
        try raw.execute("ROLLBACK")
    }

    @Test("a device locks itself as if nobody had asked for an explanation")
    func idleness() throws {
        let device = try VirtualDevice()
        try device.setPolicy(VirtualDevice.Policy(autoLockAfterSeconds: 60))
        _ = try device.keychain.perform(KeychainRequest(.add(Self.item), client: Self.client))
        device.clock.advance(by: .seconds(40))
        let query = KeychainRequest.Operation.copyMatching(["class": .string("genp")])
        #expect(try Self.explain(query, in: device.keychain).device.lockState == .unlocked)
        device.clock.advance(by: .seconds(40))
        #expect(try Self.explain(query, in: device.keychain).device.lockState == .locked)
    }

    @Test("what an update or a delete would touch, and which primary key is taken")
    func effects() throws {
        let keychain = EmbeddedKeychain.inMemory()
        for account in ["a", "b", "c"] {
            var item = Self.item
            item["acct"] = .string(account)
            _ = try keychain.perform(KeychainRequest(.add(item), client: Self.client))
        }
        let delete = try Self.explain(.delete(["class": .string("genp"), "svce": .string("mail")]), in: keychain)
        #expect(delete.effect?.count == 3 && delete.effect?.byClass == [.genericPassword: 3])
        let moved: KeychainRequest.Operation = .update(
            ["class": .string("genp"), "acct": .string("a")],
            attributes: ["acct": .string("b"), "mdat": .date(.referenceDate)]
        )
        let update = try Self.explain(moved, in: keychain)
        #expect(update.status() == .duplicateItem)
        let conflict = try #require(update.effect?.conflicts.first)
        #expect(conflict.item.attributes?[.account] == .string("a"))
        #expect(conflict.holder.attributes?[.account] == .string("b"))
        #expect(update.update?.ignored == [])
        var added = Self.item
        added["acct"] = .string("c")
        let add = try Self.explain(.add(added), in: keychain)
        #expect(add.status() == .duplicateItem)
        #expect(add.additions.first?.holder?.attributes?[.account] == .string("c"))
        #expect(add.additions.first?.primaryKey.first { $0.name == .service }?.value == .string("mail"))
    }

    @Test("a delete that is explained as it is made tells what there was before it")
    func before() throws {
        let keychain = EmbeddedKeychain.inMemory()
        _ = try keychain.perform(KeychainRequest(.add(Self.item), client: Self.client))
        let call = KeychainRequest(.delete(["class": .string("genp")]), client: Self.client)
        let outcome = try keychain.performExplaining(ExplanationRequest(call))
        #expect(outcome.result == .success(.nothing))
        #expect(outcome.explanation?.effect?.items.map { $0.attributes?[.account] } == [.string("anna")])
        #expect(try keychain.storedRows().isEmpty)
        let again = try keychain.performExplaining(ExplanationRequest(call))
        #expect(again.explanation?.status() == .itemNotFound && again.explanation?.search?.candidates == [])
    }
}
