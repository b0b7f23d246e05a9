// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Security
import Testing

/// A keychain of its own with one item of each class, the witnesses, which no rejected call may touch.
struct WitnessedKeychain {
    /// The client's groups, the default one first.
    static let groups = ["TEAMID.com.example.app", "TEAMID.com.example.shared"]

    static let secret = Data("the secret of the witness".utf8)

    private let backend: TemporaryKeychain
    private var snapshots: [ItemClass: NSArray] = [:]

    init() throws {
        backend = try TemporaryKeychain()
        for itemClass in ItemClass.stored {
            let status = run { Items.add(Self.witness(itemClass)) }
            try #require(status == errSecSuccess)
            snapshots[itemClass] = try snapshot(itemClass)
        }
    }

    /// Runs `body` so that the item functions act on this keychain.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let context = KeychainContext(backend: backend, client: Client(accessGroups: Self.groups))
        return try KeychainContext.$current.withValue(context, operation: body)
    }

    /// What the witness of a class was added with.
    static func witness(_ itemClass: ItemClass) -> [CFString: Any] {
        [kSecClass: itemClass.rawValue, kSecAttrLabel: "witness", kSecValueData: secret]
    }

    /// Fails the test unless the class holds its witness, unchanged, and nothing else.
    func expectUntouched(
        _ classes: [ItemClass] = ItemClass.stored,
        _ comment: @autoclosure () -> Comment = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for itemClass in classes {
            let now = try snapshot(itemClass)
            #expect(now == snapshots[itemClass], comment(), sourceLocation: sourceLocation)
        }
    }

    private func snapshot(_ itemClass: ItemClass) throws -> NSArray {
        let query: [CFString: Any] = [
            kSecClass: itemClass.rawValue, kSecMatchLimit: kSecMatchLimitAll,
            kSecAttrSynchronizable: kSecAttrSynchronizableAny,
            kSecReturnAttributes: true, kSecReturnData: true, kSecReturnPersistentRef: true,
        ]
        let found = run { Items.copy(query) }
        try #require(found.status == errSecSuccess)
        let items = try #require(found.result as? [[String: Any]])
        // An access control is no NSObject; the protection class stays in the comparison as kSecAttrAccessible.
        return NSArray(array: items.map { NSDictionary(dictionary: $0.filter { $0.key != "accc" }) })
    }
}

/// The item functions with Swift's dictionaries.
enum Items {
    static func add(_ attributes: [CFString: Any]) -> OSStatus { SecItemAdd(attributes as CFDictionary, nil) }

    static func copy(_ query: [CFString: Any]) -> (status: OSStatus, result: CFTypeRef?) {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return (status, result)
    }

    static func update(_ query: [CFString: Any], _ attributes: [CFString: Any]) -> OSStatus {
        SecItemUpdate(query as CFDictionary, attributes as CFDictionary)
    }

    static func delete(_ query: [CFString: Any]) -> OSStatus { SecItemDelete(query as CFDictionary) }
}

extension NSString {
    /// A dictionary key by its text.
    static func key(_ text: some StringProtocol) -> CFString { NSString(string: String(text)) }
}
