// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing

@testable import Keychain

@Suite("What the typed API takes for the primary key")
struct PrimaryKeyTableTests {
    static let classes: [(ItemKey.Class, ItemClass)] = [
        (.genericPassword, .genericPassword), (.internetPassword, .internetPassword), (.key, .key),
        (.certificate, .certificate),
    ]

    @Test("The key of each class is that of the keychain, with the same defaults", arguments: classes)
    func columns(_ typed: ItemKey.Class, _ itemClass: ItemClass) {
        let columns = ItemSchema.of(itemClass).identifyingColumns
        let typedColumns = PrimaryKeyTable.columns(of: typed)
        #expect(typedColumns.map(\.name).sorted() == columns.map(\.name.description).sorted())
        for column in typedColumns {
            let given = AttributeName(column.name).flatMap { name in columns.first { $0.name == name }?.defaultValue }
            #expect(given.map { ItemKey.Value($0) } == .some(column.value), "\(column.name)")
        }
    }

    @Test("What an item may be without is a part of the keychain's key that has no default", arguments: classes)
    func optional(_ typed: ItemKey.Class, _ itemClass: ItemClass) {
        for name in PrimaryKeyTable.optionalNames(of: typed) {
            let column = AttributeName(name).flatMap { ItemSchema.of(itemClass)[$0] }
            #expect(column?.isPrimaryKey == true && column?.defaultValue == nil, "\(name)")
        }
    }
}

extension ItemKey.Value {
    /// A default of the keychain's table.
    fileprivate init?(_ value: AttributeValue) {
        switch value {
        case .string(let text): self = .text(text)
        case .data(let bytes): self = .data(Data(bytes))
        case .number(.integer(let number)): self = .number(Int(number))
        case .date(let date): self = .date(Date(timeIntervalSinceReferenceDate: date.secondsSinceReferenceDate))
        default: return nil
        }
    }
}
