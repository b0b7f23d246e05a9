// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing

/// The table of the checks that a request passes.
struct RequestCheckTests {
    /// The titles of Documentation/Semantics.md.
    private static func titles() throws -> Set<String> {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let document = tests.appendingPathComponent("../Documentation/Semantics.md")
        let lines = try String(contentsOf: document, encoding: .utf8).split(separator: "\n")
        return Set(lines.filter { $0.hasPrefix("#") }.map { $0.drop { $0 == "#" || $0 == " " } }.map(String.init))
    }

    @Test("a check's name is in words, and its own")
    func names() {
        let names = RequestCheck.allCases.map(\.rawValue)
        #expect(Set(names).count == names.count)
        for name in names { #expect(name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, "\(name)") }
    }

    @Test("a check's section is a title of the specification")
    func sections() throws {
        let titles = try Self.titles()
        for check in RequestCheck.allCases { #expect(titles.contains(check.section), "\(check): \(check.section)") }
    }

    @Test("a function has a check of a dictionary once", arguments: ItemFunction.allCases)
    func once(_ function: ItemFunction) {
        let order = RequestCheck.order(of: function)
        #expect(Set(order).count == order.count)
        #expect(function == .update || order.allSatisfy { $0.part == .query })
    }

    @Test("every check is one of some function")
    func complete() {
        let used = Set(ItemFunction.allCases.flatMap(RequestCheck.order).map(\.check))
        #expect(used == Set(RequestCheck.allCases))
    }

    @Test("the checks of single keys come together, in one pass", arguments: ItemFunction.allCases)
    func keysTogether(_ function: ItemFunction) {
        let order = RequestCheck.order(of: function)
        for first in order.indices where order[first].check == .attributeName {
            let isQuery = order[first].part == .query
            let checks = isQuery ? RequestCheck.ofQueryKeys : RequestCheck.ofAttributeKeys
            let steps = order[first...].prefix(checks.count)
            #expect(steps.map(\.check) == checks)
            #expect(steps.allSatisfy { $0.part == order[first].part })
        }
    }
}
