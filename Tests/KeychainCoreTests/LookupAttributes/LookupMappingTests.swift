// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing

/// The table of lookup attributes and columns: `Cases/lookup.jsonl`.
struct LookupMappingTests {
    /// A line of the table: what is stored with lookup attributes, a row without any, or a change of columns.
    struct Row: Sendable, CustomTestStringConvertible {
        let identifier: String
        let itemClass: ItemClass
        let attributes: LookupAttributes?
        let columns: Attributes
        let derived: LookupAttributes?
        let found: [LookupAttributes]
        let missed: [LookupAttributes]
        let changes: Attributes
        let result: LookupAttributes?

        var testDescription: String { identifier }

        init(_ line: some StringProtocol) throws {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            identifier = try #require(object["id"] as? String)
            itemClass = try #require((object["class"] as? String).flatMap(ItemClass.init))
            attributes = try object["attributes"].map(Self.attributes)
            columns = try Self.columns(object["columns"] ?? [:])
            derived = try object["derived"].map(Self.attributes)
            found = try (object["found"] as? [Any] ?? []).map(Self.attributes)
            missed = try (object["missed"] as? [Any] ?? []).map(Self.attributes)
            changes = try Self.columns(object["changes"] ?? [:])
            result = try object["result"].map(Self.attributes)
        }

        private static func attributes(_ value: Any) throws -> LookupAttributes {
            let texts = try #require(value as? [String: String])
            return try LookupAttributes(texts.map { LookupAttributes.Pair($0.key, $0.value) })
        }

        private static func columns(_ value: Any) throws -> Attributes {
            var columns = Attributes()
            for (name, value) in try #require(value as? [String: Any]) {
                let name = try #require(AttributeName(name))
                if let text = value as? String {
                    columns[name] = .string(text)
                } else if let hexadecimal = (value as? [String: String])?["hex"] {
                    columns[name] = .data(try #require([UInt8](hexadecimal: hexadecimal)))
                } else {
                    columns[name] = .number(.integer(Int64(try #require(value as? Int))))
                }
            }
            return columns
        }
    }

    private static let rows: [Row] = {
        let path = "\(#filePath.components(separatedBy: "/LookupAttributes/")[0])/Cases/lookup.jsonl"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { try? Row($0) }
    }()

    private static func columns(_ columns: Attributes, are others: Attributes, of itemClass: ItemClass) -> Bool {
        let schema = ItemSchema.of(itemClass)
        return columns.keys == others.keys
            && columns.allSatisfy { name, value in
                guard let column = schema[name], let other = others[name] else { return false }
                return column.isEqual(value, other)
            }
    }

    @Test("every line of the table is read") func lines() { #expect(Self.rows.count == 35) }

    @Test("lookup attributes give a class and its columns, and agree with them", arguments: rows)
    func stored(_ row: Row) {
        guard let attributes = row.attributes, row.result == nil else { return }
        #expect(LookupMapping.itemClass(of: attributes) == row.itemClass)
        let values = LookupMapping.columnValues(attributes, of: row.itemClass)
        #expect(Self.columns(values, are: row.columns, of: row.itemClass), "\(values)")
        #expect(LookupMapping.agrees(attributes, with: values, of: row.itemClass))
    }

    @Test(
        "columns give lookup attributes, by which and by others of the same meaning the row is found",
        arguments: rows
    )
    func derived(_ row: Row) throws {
        guard let derived = row.derived else { return }
        #expect(LookupMapping.derived(from: row.columns, of: row.itemClass) == derived)
        func isFound(_ search: LookupAttributes) -> Bool {
            guard let conditions = LookupMapping.conditions(search, of: row.itemClass) else { return false }
            let schema = ItemSchema.of(row.itemClass)
            return conditions.allSatisfy { name, value in
                guard let column = schema[name], let own = row.columns[name] else { return false }
                return column.isEqual(own, value)
            }
        }
        #expect(isFound(derived))
        for search in row.found { #expect(isFound(search), "\(search)") }
        for search in row.missed { #expect(!isFound(search), "\(search)") }
    }

    @Test("a change of columns goes into the lookup attributes under the names that they came from", arguments: rows)
    func changed(_ row: Row) throws {
        guard let attributes = row.attributes, let result = row.result else { return }
        let former = LookupMapping.columnValues(attributes, of: row.itemClass)
        let columns = former.merging(row.changes) { $1 }
        let updated = LookupMapping.updated(attributes, of: row.itemClass, from: former, to: columns)
        #expect(updated == result, "\(updated)")
        #expect(LookupMapping.agrees(updated, with: columns, of: row.itemClass))
        #expect(LookupMapping.updated(updated, of: row.itemClass, from: columns, to: columns) == updated)
    }
}
