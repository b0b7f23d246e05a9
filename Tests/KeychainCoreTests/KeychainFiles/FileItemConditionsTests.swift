// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

/// The one rule by which item functions, `security` and the doctor compare attributes of items in keychain files.
struct FileItemConditionsTests {
    private typealias Row = (name: AttributeName, asked: AttributeValue?, stored: PropertyValue?, isMet: Bool)

    private static let rows: [Row] = [
        (.account, .string("a"), .string("a"), true), (.account, .string("a"), .string("A"), false),
        (.account, .string("a"), nil, false), (.account, .string("a"), .string(""), false),
        // What is empty, 0 or absent is the same, in both directions.
        (.account, .string(""), nil, true), (.account, .string(""), .string(""), true),
        (.account, .string(""), .string("a"), false), (.account, nil, nil, true), (.account, nil, .string(""), true),
        (.account, nil, .string("a"), false),
        ("port", .number(.integer(0)), nil, true), ("port", .number(.integer(0)), .number(.integer(0)), true),
        ("port", .number(.integer(0)), .number(.integer(443)), false),
        ("port", .number(.integer(443)), .number(.integer(443)), true), ("port", .number(.integer(443)), nil, false),
        ("port", nil, .number(.integer(0)), true), ("port", nil, .number(.integer(443)), false),
        ("labl", .string(""), nil, true),
    ]

    @Test("values compare as a whole, and what is empty, 0 or absent is the same")
    func rule() {
        for row in Self.rows {
            let conditions = FileItemConditions(.internetPassword, [row.name: row.asked])
            let item = Self.item([row.name.description: row.stored])
            #expect(conditions.areMet(by: item) == row.isMet, "\(row)")
        }
    }

    @Test(
        "an item of another class, or one whose attributes are damaged, meets no conditions, and is known to be there"
    )
    func others() {
        let damaged = KeychainFileItem(identifier: .zero, itemClass: .internetPassword, attributes: [:])
        let items = [Self.item([:]), damaged]
        #expect(items.matching(FileItemConditions(.internetPassword)) == [Self.item([:])])
        #expect(items.matching(FileItemConditions(.genericPassword)).isEmpty)
        #expect(items.hasUnreadable(.internetPassword) && !items.hasUnreadable(.genericPassword))
    }

    @Test("every condition has to be met, in the form in which values are compared")
    func several() {
        let item = Self.item(["acct": .string("A"), "srvr": .string("example.org")])
        let both = FileItemConditions(
            .internetPassword,
            [.account: .string("a"), .server: .string("example.org")]
        )
        #expect(!both.areMet(by: item))
        let folds: FileItemConditions.Normalization = { name, value in
            guard name == .account, case .string(let text) = value else { return value }
            return .string(text.lowercased())
        }
        #expect(both.areMet(by: item, normalize: folds))
    }

    private static func item(_ attributes: [String: PropertyValue?]) -> KeychainFileItem {
        var values: [String: PropertyValue] = ["cdat": .date(.referenceDate)]
        for case (let name, let value?) in attributes { values[name] = value }
        return KeychainFileItem(identifier: .zero, itemClass: .internetPassword, attributes: values)
    }
}
