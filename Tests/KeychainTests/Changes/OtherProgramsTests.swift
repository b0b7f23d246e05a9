// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainCore
import KeychainEngine
import KeychainServices
import Synchronization
import Testing

@Suite("Notifications of other programs' changes are announced", .timeLimit(.minutes(5)))
struct OtherProgramsTests {
    private let backend = TellingKeychain()
    private let keychain: SystemKeychain
    private let plain = Protection.accessible(.whenUnlocked)

    init() {
        let client = Client(accessGroups: ["mine", "shared"])
        keychain = SystemKeychain(EngineTransport(KeychainContext(backend: backend, client: client)))
    }

    @Test("the class and the access group, sorted, among the changes of this process")
    func each() async throws {
        let changes = keychain.changes
        #expect(backend.groups == [["mine", "shared"]])
        backend.tell(.unknown)
        backend.tell(.changed([ChangedItems(.key, in: "shared"), ChangedItems(.genericPassword, in: "mine")]))
        let item = GenericPassword(service: "own")
        try await keychain.set("x", for: item, protection: plain)
        // A listener that has to read everything again does not get the parts.
        #expect(await next(3, of: changes) == ["missed", "set \(item)", "nothing"])
        backend.tell(.changed([ChangedItems(.key, in: "shared"), ChangedItems(.genericPassword, in: "mine")]))
        #expect(await next(3, of: changes) == ["genericPassword mine", "key shared", "nothing"])
    }

    @Test("a slow listener gets one change for each access group, and its own changes")
    func coalesced() async throws {
        let changes = keychain.changes
        for _ in 0..<1000 { backend.tell(.changed([ChangedItems(.key, in: "shared")])) }
        let item = GenericPassword(service: "own")
        try await keychain.set("x", for: item, protection: plain)
        for _ in 0..<1000 { backend.tell(.changed([ChangedItems(.key, in: "shared")])) }
        #expect(await next(3, of: changes) == ["key shared", "set \(item)", "nothing"])
        backend.tell(.changed([ChangedItems(.key, in: "shared")]))
        backend.tell(.unknown)
        backend.tell(.unknown)
        #expect(await next(2, of: changes) == ["missed", "nothing"])
    }

    @Test("the keychain is observed only while there is a listener")
    func end() async {
        #expect(backend.groups.isEmpty)
        do {
            let changes = keychain.changes
            #expect(backend.groups.count == 1)
            withExtendedLifetime(changes) {}
        }
        #expect(backend.groups.isEmpty)
    }

    /// The next changes as text; `nothing` for the absence of one.
    private func next(_ count: Int, of changes: KeychainChanges) async -> [String] {
        var texts: [String] = []
        for _ in 0..<count {
            let task = Task { () -> KeychainChange? in
                var iterator = changes.makeAsyncIterator()
                return await iterator.next()
            }
            // A buffered change is returned immediately; only its absence takes the time.
            let patience = Duration.milliseconds(texts.count == count - 1 ? 200 : 60_000)
            let limit = Task {
                try await Task.sleep(for: patience)
                task.cancel()
            }
            let change = await task.value
            limit.cancel()
            texts.append(text(change))
        }
        return texts
    }

    private func text(_ change: KeychainChange?) -> String {
        switch change {
        case .changedElsewhere(let itemClass, let group): "\(itemClass) \(group)"
        case .missed(nil): "missed"
        case .set(let item): "set \(item)"
        case nil: "nothing"
        case let other?: "\(other)"
        }
    }
}

/// A keychain in memory, and notices that a test sends.
private final class TellingKeychain: ObservableKeychain {
    private let keychain = EmbeddedKeychain.inMemory()
    private let observers = Mutex<[Int: (client: Client, handler: @Sendable (ChangeNotice) -> Void)]>([:])

    var groups: [[String]] { observers.withLock { $0.values.map(\.client.accessGroups) } }

    func tell(_ notice: ChangeNotice) {
        for observer in observers.withLock({ Array($0.values) }) { observer.handler(notice) }
    }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply { try keychain.perform(command) }

    func observeChanges(
        as client: Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) -> ChangeObservation {
        let number = observers.withLock { observers in
            let number = (observers.keys.max() ?? 0) + 1
            observers[number] = (client, handler)
            return number
        }
        return ChangeObservation { [weak self] in self?.observers.withLock { _ = $0.removeValue(forKey: number) } }
    }
}
