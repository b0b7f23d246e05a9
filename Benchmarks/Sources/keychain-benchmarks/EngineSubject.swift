// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainCore
import KeychainEngine

/// The typed engine: requests of Swift values, without Foundation.
struct EngineSubject: Subject {
    let keychain: EmbeddedKeychain

    /// Two, as a program without entitlements has: its own and the one that all programs share.
    static let groups = ["swift-keychain.program.keychain-benchmarks", "swift-keychain.common"]

    private let client = Client(accessGroups: groups)

    init(_ folder: String) { keychain = EmbeddedKeychain(at: KeychainLocation(path: folder)) }

    func add(_ item: Int) throws { try add(item, isLabelled: true) }

    /// Most programs give a password no label; one that does costs an entry in one more index.
    func add(_ item: Int, isLabelled: Bool) throws {
        let item = Item(number: item)
        var attributes: PropertyDictionary = [
            "class": .string("genp"), "svce": .string(item.service), "acct": .string(item.account),
            "v_Data": .data(SecretBytes(item.secret)),
        ]
        if isLabelled { attributes["labl"] = .string(item.label) }
        try perform(.add(attributes))
    }

    func readByPrimaryKey(_ item: Int) throws {
        let item = Item(number: item)
        try read(["class": .string("genp"), "svce": .string(item.service), "acct": .string(item.account)])
    }

    func readByLabel(_ item: Int) throws {
        try read(["class": .string("genp"), "labl": .string(Item(number: item).label)])
    }

    func readByAccount(_ item: Int) throws {
        try read(["class": .string("genp"), "acct": .string(Item(number: item).account)])
    }

    func update(_ item: Int) throws {
        let item = Item(number: item)
        try perform(
            .update(
                ["class": .string("genp"), "svce": .string(item.service), "acct": .string(item.account)],
                attributes: ["v_Data": .data(SecretBytes(item.newSecret))]
            )
        )
    }

    func delete(_ item: Int) throws {
        let item = Item(number: item)
        try perform(
            .delete(["class": .string("genp"), "svce": .string(item.service), "acct": .string(item.account)])
        )
    }

    private func read(_ query: PropertyDictionary) throws {
        var query = query
        query["r_Data"] = .boolean(true)
        let answer = try keychain.perform(KeychainRequest(.copyMatching(query), client: client))
        guard case .single(.data(let secret)) = answer, secret.count == 32
        else { throw Failure("the engine found something else") }
    }

    private func perform(_ operation: KeychainRequest.Operation) throws {
        _ = try keychain.perform(KeychainRequest(operation, client: client))
    }
}
