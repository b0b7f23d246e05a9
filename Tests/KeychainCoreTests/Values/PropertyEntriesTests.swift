// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

/// That entries are a dictionary, few or many.
struct PropertyEntriesTests {
    @Test("whatever is done with them is what a dictionary has afterwards", arguments: [8, 24, 25, 60])
    func asDictionary(_ keyCount: Int) {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            var entries = PropertyEntries()
            var dictionary: [String: PropertyValue] = [:]
            for step in 0..<keyCount * 3 {
                let key = "key \(Int.random(in: 0..<keyCount, using: &generator))"
                let isSet = Int.random(in: 0..<4, using: &generator) > 0
                let value: PropertyValue? = isSet ? .number(.integer(Int64(step))) : nil
                entries[key] = value
                dictionary[key] = value
                #expect(entries[key] == value)
            }
            #expect(entries.count == dictionary.count && entries.isEmpty == dictionary.isEmpty)
            #expect(entries.dictionary == dictionary)
            for (key, value) in dictionary { #expect(entries[key] == value) }
            #expect(Set(entries.keys) == Set(dictionary.keys) && entries.values.count == dictionary.count)
            let chosen = entries.filter { $0.key.hasSuffix("1") }
            #expect(chosen.dictionary == dictionary.filter { $0.key.hasSuffix("1") })
            for key in dictionary.keys { #expect(chosen[key] == (key.hasSuffix("1") ? dictionary[key] : nil)) }
        }
    }

    @Test("entries are equal in whatever order they came", arguments: [3, 40])
    func order(_ count: Int) {
        var (there, back) = (PropertyEntries(), PropertyEntries())
        for index in 0..<count { there["\(index)"] = .string("\(index)") }
        for index in (0..<count).reversed() { back["\(index)"] = .string("\(index)") }
        #expect(there == back && there.hashValue == back.hashValue)
        back["0"] = .string("other")
        #expect(there != back)
    }

    @Test("merged entries have the value that was chosen")
    func merge() {
        var entries = PropertyEntries(["a": .string("old"), "b": .string("old")])
        entries.merge(["b": .string("new"), "c": .string("new")]) { given, _ in given }
        #expect(entries.dictionary == ["a": .string("old"), "b": .string("old"), "c": .string("new")])
    }
}
