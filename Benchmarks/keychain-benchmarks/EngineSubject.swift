// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost

/// The typed engine, in this process or behind the daemon: requests of Swift values, without Foundation.
struct EngineSubject: Subject, Sendable {
    private let carryOut: @Sendable (KeychainRequest) throws(KeychainError) -> KeychainAnswer

    /// Two, as a program without entitlements has: its own and the one that all programs share.
    static let groups = ["swift-keychain.program.keychain-benchmarks", Client.commonGroup]

    private static let client = Client(accessGroups: groups)

    init(_ folder: String) {
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: folder))
        carryOut = { (request) throws(KeychainError) in try keychain.perform(request) }
    }

    init(_ keychain: any KeychainBackend) {
        carryOut = { (request) throws(KeychainError) in try keychain.perform(request) }
    }

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

    func readByPrimaryKey(_ item: Int) throws { try read(Self.primaryKeyRequest(item)) }

    func readByLabel(_ item: Int) throws {
        try read(Self.request(["class": .string("genp"), "labl": .string(Item(number: item).label)]))
    }

    func readByAccount(_ item: Int) throws {
        try read(Self.request(["class": .string("genp"), "acct": .string(Item(number: item).account)]))
    }

    /// What reads the secret of an item by its primary key.
    static func primaryKeyRequest(_ item: Int) -> KeychainRequest {
        let item = Item(number: item)
        return request(["class": .string("genp"), "svce": .string(item.service), "acct": .string(item.account)])
    }

    private static func request(_ query: PropertyDictionary) -> KeychainRequest {
        var query = query
        query["r_Data"] = .boolean(true)
        return KeychainRequest(.copyMatching(query), client: client)
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

    private func read(_ request: KeychainRequest) throws {
        guard case .single(.data(let secret)) = try carryOut(request), secret.count == 32
        else { throw Failure("the engine found something else") }
    }

    private func perform(_ operation: KeychainRequest.Operation) throws {
        _ = try carryOut(KeychainRequest(operation, client: Self.client))
    }
}
