// SPDX-License-Identifier: Apache-2.0

import KeychainAudit
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainIdentity
import KeychainServer
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// Which items the audit log names.
@Suite(.timeLimit(.minutes(5)))
struct AuditedItemsTests {
    private let temporary: TemporaryFolder
    private let folder: PrivateDirectory
    private let keychain = EmbeddedKeychain.inMemory(device: .withNegligibleWork)
    private let client = Client(accessGroups: ["group"])

    init() throws {
        temporary = try TemporaryFolder()
        folder = try PrivateDirectory(KeychainLocation(path: temporary.path(of: "keychain")))
        for account in ["anna", "bert"] { _ = try keychain.perform(addition(account)) }
    }

    private func addition(_ account: String, _ others: PropertyDictionary = [:]) -> KeychainCommand {
        var item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), "svce": .string("example.org"),
            "labl": .string("lbl"), "v_Data": .data(SecretBytes(Array("s3cret".utf8))),
        ]
        for (key, value) in others.entries { item[key] = value }
        return .items(KeychainRequest(.add(item), client: client))
    }

    private func search(_ query: PropertyDictionary, _ client: Client? = nil) -> KeychainCommand {
        var query = query
        query["class"] = query["class"] ?? .string("genp")
        return .items(KeychainRequest(.copyMatching(query), client: client ?? self.client))
    }

    private func reference(of account: String) throws -> PropertyValue {
        let query: PropertyDictionary = ["acct": .string(account), "r_PersistentRef": .boolean(true)]
        guard case .answer(.single(.data(let reference))) = try keychain.perform(search(query)) else {
            throw KeychainError.unexpectedReply
        }
        return .data(reference)
    }

    /// The entries of commands of a program.
    private func logged(
        _ commands: [KeychainCommand],
        _ attributes: Set<AuditAttribute> = [.service, .account]
    ) throws -> [AuditRecord] {
        let log = AuditLog(
            in: folder,
            fixed: AuditSettings(attributes: attributes),
            log: DaemonLog(descriptor: -1)
        )
        let caller = AuditCaller(user: 7, process: 8, program: "/usr/bin/app", identity: AuditCaller.anonymous)
        let program = UserProgram(
            ProcessInstance(identifier: 8, startTime: 1),
            as: ClientIdentity(.anonymous),
            keychain: keychain,
            proofs: PasscodeProofs(),
            life: DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {}),
            audited: AuditedProgram(caller, log)
        )
        for command in commands {
            let result = Result { () throws(KeychainError) in try program.backend.perform(program.permitted(command)) }
            program.finished(command, result)
        }
        log.close()
        var reader = AuditReader(in: folder)
        return try reader.next().entries.compactMap { if case .call(let record) = $0 { record } else { nil } }
    }

    private static let named: [AuditAttribute: String] = [.service: "example.org", .account: "anna"]

    @Test("a read by reference names its item, class and group, and a search what it asks for")
    func reference() throws {
        let find = search(["acct": .string("anna"), "r_PersistentRef": .boolean(true)])
        let read = search(["v_PersistentRef": try reference(of: "anna"), "r_Data": .boolean(true)])
        let update = KeychainRequest.Operation.update(
            ["class": .string("genp"), "v_PersistentRef": try reference(of: "anna")],
            attributes: ["icmt": .string("comment")]
        )
        let withoutClass = KeychainRequest.Operation.copyMatching([
            "v_PersistentRef": try reference(of: "anna"), "r_Data": .boolean(true),
        ])
        let others = [update, withoutClass].map { KeychainCommand.items(KeychainRequest($0, client: client)) }
        let entries = try logged([find, read] + others)
        #expect(entries.map(\.attributes) == [[.account: "anna"], Self.named, Self.named, Self.named])
        #expect(entries.allSatisfy { $0.itemClass == "genp" && $0.accessGroups == ["group"] })
    }

    @Test("a read by other attributes names what it found, each item in an entry")
    func attributes() throws {
        let one = search(["acct": .string("anna"), "r_Data": .boolean(true)])
        let all = search(["r_Data": .boolean(true), "r_Attributes": .boolean(true), "m_Limit": .string("m_LimitAll")])
        let entries = try logged([one, all])
        #expect(entries.first?.attributes == Self.named)
        #expect(entries.dropFirst().compactMap { $0.attributes[.account] }.sorted() == ["anna", "bert"])
    }

    @Test("class and group are logged always, and attributes only that the owner selected")
    func settings() throws {
        let read = search(["v_PersistentRef": try reference(of: "anna"), "r_Data": .boolean(true)])
        let entries = try logged([read], [])
        #expect(entries.map(\.attributes) == [[:]] && entries.first?.itemClass == "genp")
        #expect(entries.first?.accessGroups == ["group"])
        let contents = try folder.withContents(of: AuditFile.name, limit: 1 << 16) {
            String(decoding: $0, as: UTF8.self)
        }
        for text in ["anna", "example.org", "lbl", "s3cret"] { #expect(!contents.contains(text), "\(contents)") }
    }

    @Test("of an item that is locked, or another program's, nothing is logged but the request")
    func hidden() throws {
        let read = search(["v_PersistentRef": try reference(of: "anna"), "r_Data": .boolean(true)])
        let foreign = search(
            ["v_PersistentRef": try reference(of: "anna"), "r_Data": .boolean(true)],
            Client(accessGroups: ["other"])
        )
        try keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        let other = try logged([foreign])
        #expect(other.map(\.attributes) == [[:]] && other.map(\.status) == [Status.itemNotFound.rawValue])
        try keychain.device.lock()
        let entries = try logged([read]).dropFirst()
        #expect(entries.map(\.attributes) == [[:]])
        #expect(entries.map(\.status) == [Status.interactionNotAllowed.rawValue])
    }

    @Test("a secret that a program of the Secret Service reads is logged with its item")
    func lookups() throws {
        let client = Client(accessGroups: [Client.commonGroup])
        let contents = LookupContents(
            attributes: ["service": "example.org", "account": "anna"],
            label: "lbl",
            secret: SecretBytes(Array("s3cret".utf8)),
            contentType: "text/plain"
        )
        let stored = try keychain.perform(.lookup(LookupRequest(.store(contents, replacing: false), client: client)))
        guard case .lookupStored(let item) = stored else { throw KeychainError.unexpectedReply }
        let read = KeychainCommand.lookup(LookupRequest(.secrets([item.identifier]), client: client))
        let entries = try logged([read], [.label])
        #expect(entries.map(\.operation) == ["lookup secrets"] && entries.map(\.itemClass) == ["genp"])
        #expect(entries.map(\.attributes) == [[.label: "lbl"]])
        #expect(entries.map(\.accessGroups) == [[Client.commonGroup]])
    }

    @Test("of very many items the first are named, and one more entry says that there are others")
    func many() throws {
        for number in 0...AuditedProgram.maximumItems { _ = try keychain.perform(addition("\(number)")) }
        let all = search(["r_Data": .boolean(true), "r_Attributes": .boolean(true), "m_Limit": .string("m_LimitAll")])
        let entries = try logged([all])
        #expect(entries.count == AuditedProgram.maximumItems + 1)
        #expect(entries.last?.attributes == [:] && entries.dropLast().allSatisfy { $0.attributes[.account] != nil })
    }
}
