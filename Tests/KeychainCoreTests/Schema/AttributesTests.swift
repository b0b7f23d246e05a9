// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

/// That attributes are a dictionary, in the order of their names.
struct AttributesTests {
    private static let names: [AttributeName] = ["acct", "agrp", "cdat", "labl", "pdmn", "svce", "sync", "tomb"]

    @Test("whatever is done with them is what a dictionary has afterwards")
    func asDictionary() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var attributes = Attributes()
            var dictionary: [AttributeName: AttributeValue] = [:]
            for step in 0..<30 {
                let name = Self.names.randomElement(using: &generator) ?? "acct"
                let value: AttributeValue? = Bool.random(using: &generator) ? .number(.integer(Int64(step))) : nil
                attributes[name] = value
                dictionary[name] = value
                #expect(attributes[name] == value)
            }
            #expect(attributes.count == dictionary.count && attributes.isEmpty == dictionary.isEmpty)
            #expect(attributes.keys == dictionary.keys.sorted())
            #expect(attributes.map(\.key) == attributes.keys)
            for (name, value) in attributes { #expect(dictionary[name] == value) }
        }
    }

    @Test("merged attributes have the value that was chosen")
    func merging() {
        let first: Attributes = ["svce": .string("a"), "acct": .string("a")]
        let second: Attributes = ["labl": .string("b"), "acct": .string("b")]
        let expected: Attributes = ["acct": .string("b"), "labl": .string("b"), "svce": .string("a")]
        #expect(first.merging(second) { $1 } == expected)
        #expect(first.merging(second) { old, _ in old }["acct"] == .string("a"))
        #expect(expected.filter { $0.key < "labl" } == ["acct": .string("b")])
    }

    @Test("equal attributes are equal in whatever order they were set")
    func order() {
        var backwards = Attributes()
        var forwards = Attributes()
        for name in Self.names { forwards[name] = .string("\(name)") }
        for name in Self.names.reversed() { backwards[name] = .string("\(name)") }
        #expect(forwards == backwards && forwards.hashValue == backwards.hashValue)
    }
}
