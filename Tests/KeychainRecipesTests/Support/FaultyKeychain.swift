// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import Security
import Synchronization

/// The system's keychain, whose calls fail as a test says, before or after their effect.
final class FaultyKeychain: KeychainProtocol {
    private let real = SystemKeychain()
    private let answer: @Sendable () -> ItemContents?
    private let fault: @Sendable (Moment) -> KeychainItemError?
    private let state = Mutex((added: false, lies: false))

    enum Moment: Equatable {
        case before(String)
        case after(String)
    }

    init(
        answer: @escaping @Sendable () -> ItemContents? = { nil },
        fault: @escaping @Sendable (Moment) -> KeychainItemError?
    ) {
        self.answer = answer
        self.fault = fault
    }

    /// Whether what was added is answered for by something else.
    var liesAfterAdding: Bool {
        get { state.withLock(\.lies) }
        set { state.withLock { $0.lies = newValue } }
    }

    /// Fails at the n-th call, with what an input/output error gives.
    static func failing(call number: Int, after isAfter: Bool) -> FaultyKeychain {
        let calls = Mutex(0)
        return FaultyKeychain { moment in
            let count = calls.withLock { count in
                if case .before = moment { count += 1 }
                return count
            }
            switch moment {
            case .before: guard !isAfter, count == number else { return nil }
            case .after: guard isAfter, count == number else { return nil }
            }
            return KeychainItemError(status: errSecIO, operation: .read)
        }
    }

    private func call<Result>(
        _ name: String,
        _ body: () throws(KeychainItemError) -> Result
    ) throws(KeychainItemError) -> Result {
        if let error = fault(.before(name)) { throw error }
        let result = try body()
        if let error = fault(.after(name)) { throw error }
        return result
    }

    func addItem(
        _ item: any KeychainItem,
        contents: ItemContents,
        protection: Protection,
        details: ItemDetails,
        authentication: Authentication
    ) throws(KeychainItemError) {
        try call("add") { () throws(KeychainItemError) in
            try real.addItem(
                item,
                contents: contents,
                protection: protection,
                details: details,
                authentication: authentication
            )
        }
        state.withLock { $0.added = true }
    }

    func setItem(
        _ item: any KeychainItem,
        contents: ItemContents,
        protection: Protection,
        details: ItemDetails,
        authentication: Authentication
    ) throws(KeychainItemError) {
        try call("set") { () throws(KeychainItemError) in
            try real.setItem(
                item,
                contents: contents,
                protection: protection,
                details: details,
                authentication: authentication
            )
        }
    }

    func itemContents(
        of item: any KeychainItem,
        authentication: Authentication
    ) throws(KeychainItemError) -> ItemContents? {
        if state.withLock({ $0.added && $0.lies }) { return answer() }
        return try call("contents") { () throws(KeychainItemError) in
            try real.itemContents(of: item, authentication: authentication)
        }
    }

    func itemAttributes(
        of item: any KeychainItem,
        authentication: Authentication
    ) throws(KeychainItemError) -> ItemAttributes? {
        try call("attributes") { () throws(KeychainItemError) in
            try real.itemAttributes(of: item, authentication: authentication)
        }
    }

    func updateItem(
        _ item: any KeychainItem,
        with update: ItemUpdate,
        authentication: Authentication
    ) throws(KeychainItemError) -> Bool {
        try call("update") { () throws(KeychainItemError) in
            try real.updateItem(item, with: update, authentication: authentication)
        }
    }

    func deleteItem(_ item: any KeychainItem) throws(KeychainItemError) -> Bool {
        try call("delete") { () throws(KeychainItemError) in try real.deleteItem(item) }
    }

    func findItems<Item>(
        matching selection: ItemSelection<Item>,
        authentication: Authentication
    ) throws(KeychainItemError) -> [FoundItem<Item>] {
        try call("items") { () throws(KeychainItemError) in
            try real.findItems(matching: selection, authentication: authentication)
        }
    }

    func deleteItems<Item>(matching selection: ItemSelection<Item>) throws(KeychainItemError) -> Bool {
        try call("deleteAll") { () throws(KeychainItemError) in try real.deleteItems(matching: selection) }
    }
}
