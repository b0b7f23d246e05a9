// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

/// Lookup attributes are ordered and compared by bytes, and bounded.
struct LookupAttributesTests {
    private static func attributes(_ pairs: (String, String)...) throws -> LookupAttributes {
        try LookupAttributes(pairs.map { LookupAttributes.Pair($0.0, $0.1) })
    }

    @Test("texts that Swift calls equal are different ones, as names and as values")
    func bytes() throws {
        let both = try Self.attributes(("é", "1"), ("e\u{301}", "2"))
        #expect(both.count == 2 && both["é"] == "1" && both["e\u{301}"] == "2")
        #expect(both.pairs.map { $0.name.utf8.count } == [3, 2])
        #expect(try Self.attributes(("a", "é")) != Self.attributes(("a", "e\u{301}")))
        #expect(try !Self.attributes(("a", "é")).satisfy(Self.attributes(("a", "e\u{301}"))))
        #expect(try Set([Self.attributes(("a", "é")), Self.attributes(("a", "e\u{301}"))]).count == 2)
    }

    @Test("an empty value is a value, an empty search is satisfied, and one more pair is not")
    func searches() throws {
        let attributes: LookupAttributes = ["b": "", "a": "1"]
        #expect(attributes.satisfy([:]))
        #expect(attributes.satisfy(["b": ""]))
        #expect(!attributes.satisfy(["c": ""]))
        #expect(!attributes.satisfy(["a": "1", "c": ""]))
    }

    @Test("setting a name keeps the order, and removes it again")
    func subscripts() throws {
        var attributes = try Self.attributes(("b", "2"))
        attributes["a"] = "1"
        attributes["c"] = "3"
        attributes["b"] = "4"
        #expect(try attributes == Self.attributes(("a", "1"), ("b", "4"), ("c", "3")))
        attributes["a"] = nil
        attributes["d"] = nil
        #expect(try attributes == Self.attributes(("b", "4"), ("c", "3")))
    }

    @Test("a name twice, NUL, and more than the limits are refused")
    func refusals() {
        let many = (0...LookupAttributes.maximumCount).map { LookupAttributes.Pair("\($0)", "") }
        let long = String(repeating: "x", count: LookupAttributes.maximumTextByteCount + 1)
        // As much as all may have together.
        let largest = String(long.dropFirst())
        let pairs = (10...25).map { LookupAttributes.Pair("\($0)", String(largest.dropFirst(2))) }
        #expect(throws: Never.self) { try LookupAttributes(pairs) }
        let refused: [[LookupAttributes.Pair]] = [
            [.init("a", "1"), .init("a", "2")], [.init("a\0", "1")], [.init("a", "\0")], many, [.init("a", long)],
            [.init(long, "a")], pairs + [.init("a", "")],
        ]
        for (index, pairs) in refused.enumerated() {
            #expect(thrownStatus { _ = try LookupAttributes(pairs) } == .parameter, "the one at \(index)")
        }
    }

    @Test("a name and a value may have 64 KiB each, and all together 1 MiB")
    func largest() throws {
        let long = String(repeating: "x", count: 64 << 10)
        #expect(try Self.attributes((long, long))[long] == long)
        let eight = (0..<8).map { LookupAttributes.Pair("\($0)" + long.dropFirst(), long) }
        #expect(try LookupAttributes(eight).byteCount == 1 << 20)
    }

    @Test("a record is read as it was written, whatever its size, and no other bytes are one")
    func record() throws {
        let large = String(repeating: "x", count: 2 * LookupAttributes.maximumByteCount)
        let samples: [LookupAttributes] = [
            [:], ["a": "1", "": "", "é": "\u{1F511}"],
            try LookupAttributes(ofAnySize: [LookupAttributes.Pair("a", large)]),
        ]
        for attributes in samples {
            let record = LookupRecord(attributes, contentType: "text/plain; charset=utf8")
            #expect(LookupRecord(record.encoded) == record)
            #expect(LookupRecord(record.encoded + [0]) == nil)
            #expect(LookupRecord(record.encoded.dropLast()) == nil)
        }
        let sample = LookupRecord(["a": "1", "b": "2"], contentType: "").encoded
        for index in sample.indices {
            var altered = sample
            altered[index] ^= 0x80
            if let read = LookupRecord(altered) { #expect(read.encoded == altered) }
        }
        // Names out of order, and twice.
        #expect(LookupRecord([1, 0, 0, 0, 0, 2, 0, 0, 0] + Self.pair("b") + Self.pair("a")) == nil)
        #expect(LookupRecord([1, 0, 0, 0, 0, 2, 0, 0, 0] + Self.pair("a") + Self.pair("a")) == nil)
        #expect(LookupRecord([2, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
    }

    private static func pair(_ name: String) -> [UInt8] { [1, 0, 0, 0] + Array(name.utf8) + [0, 0, 0, 0] }

    @Test("a command with more than is allowed is refused before it is carried out")
    func sizes() throws {
        let client = Client(accessGroups: ["a"])
        let large = String(repeating: "x", count: 1 + LookupAttributes.maximumTextByteCount)
        let attributes = try LookupAttributes(ofAnySize: [LookupAttributes.Pair("a", large)])
        let contents = LookupContents(attributes: attributes, label: "", secret: SecretBytes(), contentType: "")
        let marks = "a" + String(repeating: "\u{301}", count: 1_100)
        let operations: [LookupRequest.Operation] = [
            .search(attributes), .store(contents, replacing: true), .change(.zero, .attributes(attributes)),
            .change(.zero, .label(large)), .change(.zero, .secret(SecretBytes(), contentType: large)),
            .describe(Array(repeating: .zero, count: LookupRequest.maximumItems + 1)),
            .secrets(Array(repeating: .zero, count: LookupRequest.maximumItems + 1)), .change(.zero, .label(marks)),
        ]
        for operation in operations {
            let failure = #expect(throws: KeychainError.self) {
                try KeychainCommand.lookup(LookupRequest(operation, client: client)).checkSizes()
            }
            #expect(failure?.status == .parameter, "\(operation)")
        }
    }
}
