// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainClient
import KeychainCore
import Synchronization

/// The notices of one program, in their order.
final class Notices: Sendable {
    private let told = Mutex<[ChangeNotice]>([])
    private let arrived = DispatchSemaphore(value: 0)
    private let observation = Mutex<ChangeObservation?>(nil)

    init(_ keychain: any ObservableKeychain, _ groups: [String]) {
        let observation = keychain.observeChanges(as: Client(accessGroups: groups)) { [weak self] notice in
            self?.told.withLock { $0.append(notice) }
            self?.arrived.signal()
        }
        self.observation.withLock { $0 = observation }
    }

    /// The number of those that ``next()`` has not returned.
    var count: Int { told.withLock(\.count) }

    /// The next notice; `nil` if there is none for a minute.
    func next() -> ChangeNotice? {
        guard arrived.wait(timeout: .now() + .seconds(60)) == .success else { return nil }
        return told.withLock { $0.removeFirst() }
    }

    /// Whether there is a notice, perhaps after others.
    func comes(_ notice: ChangeNotice) -> Bool {
        while let next = next() { if next == notice { return true } }
        return false
    }
}

extension Client {
    static func of(_ group: String) -> Client { Client(accessGroups: [group]) }
}

extension DaemonKeychain {
    func add(_ account: String, in group: String) throws(KeychainError) {
        let item: PropertyDictionary = ["class": .string("genp"), "acct": .string(account), "agrp": .string(group)]
        _ = try perform(KeychainRequest(.add(item), client: .of(group)))
    }
}
