// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@testable import KeychainPropertyLists

/// What is seen of a property list before it is parsed.
struct PropertyListShapeTests {
    @Test("lists on which Foundation crashes or hangs are refused", arguments: HostilePropertyList.allCases)
    func hostile(_ list: HostilePropertyList) {
        #expect(!PropertyListShape.isHarmless(list.data()))
        #expect(!PropertyListShape.isHarmlessXML(list.data()))
    }

    @Test(
        "what Foundation writes is harmless",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary]
    )
    func written(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let values: [Any] = [
            "text", "ä", String(repeating: "text", count: 100), Data([1, 2, 3]), Data(count: 1000), true, false, 1, -1,
            1 << 40, UInt64.max, 1.5, Date(timeIntervalSinceReferenceDate: 0), [String](), [String: Any](),
            ["a": ["b": ["c", "c", "c"]], "b": ["c": "a"]], Array(repeating: "text", count: 1000),
        ]
        for value in values + [values as Any] {
            let data = try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0)
            #expect(PropertyListShape.isHarmless(data), "\(value)")
            #expect(PropertyListShape.isHarmlessXML(data) == (format == .xml))
        }
    }

    @Test("as many levels as there may be are harmless, and one more is not, in XML and in a binary list")
    func levels() {
        for (count, isHarmless) in [(30, true), (31, false)] {
            let (start, end) = (String(repeating: "<array>", count: count), String(repeating: "</array>", count: count))
            for leaf in ["<string>a</string>", "<true/>", "<array/>"] {
                let xml = Data("<plist version=\"1.0\">\(start)\(leaf)\(end)</plist>".utf8)
                #expect(PropertyListShape.isHarmless(xml) == isHarmless, "\(leaf)")
            }
            let binary = BinaryList.of((1...count).map { .array([$0]) } + [.raw([9])])
            #expect(PropertyListShape.isHarmless(binary) == isHarmless)
        }
        #expect(!PropertyListShape.isHarmless(Data("<plist></plist></plist>".utf8)))
    }

    @Test(
        "levels are counted whatever looks like the end of one",
        arguments: [
            "<!-- </array> -->", "<!--></array>-->", "<string>/></string>", "<string><![CDATA[</array>]]></string>",
            "<array a=\"/>\">", "<array a='</array>'/>", "<?a </array>?>", "<?a ></array>?>",
        ]
    )
    func disguises(_ disguise: String) {
        let text = "<plist>" + String(repeating: "<array>" + disguise, count: 50_000)
        #expect(!PropertyListShape.isHarmless(Data(text.utf8)))
    }

    @Test(
        "the declaration of XML names no encoding but that which was checked",
        arguments: [
            ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", true), ("<?xml version='1.0' encoding='utf-8'?>", true),
            ("<?xml version=\"1.0\"?>", true), ("<?xml version=\"1.0\" encoding=\"UTF-7\"?>", false),
            ("<?xml encoding=\"utf-8\" encoding=\"utf-7\"?>", false), ("<?xml version=\"1.0\">", false),
            ("<?xml version=\"1.0\"?><?xml version=\"1.0\"?>", false), ("\u{feff}<?xml version=\"1.0\"?>", true),
            ("<!-- a --><!-- b -->", true), ("<!-- a >", false), ("a", false),
        ]
    )
    func declarations(_ start: String, _ isHarmless: Bool) {
        #expect(PropertyListShape.isHarmless(Data((start + "<plist><true/></plist>").utf8)) == isHarmless)
    }

    @Test(
        "as many combining marks may follow each other as in any text, and one more may not, however they are written",
        arguments: [
            "\u{301}", "&#x301;", "&#769;", "&#X0000301;", "<!-- a -->\u{301}", "<!---->&#x301;<!-- &#x41; -->",
            "&#xD834;", "&#x10301;",
        ]
    )
    func marks(_ mark: String) {
        for (count, isHarmless) in [(1024, true), (1025, false)] {
            let text = "a" + String(repeating: mark, count: count)
            for end in ["", "b", "&#x62;", "&amp;"] {
                let xml = "<plist><array><string>\(text)\(end)</string><string>\(text)</string></array></plist>"
                #expect(PropertyListShape.isHarmless(Data(xml.utf8)) == isHarmless, "\(count) \(end)")
                #expect(PropertyListShape.isHarmlessXML(Data(xml.utf8)) == isHarmless)
            }
        }
    }

    @Test("combining marks of a binary list count in its texts of UTF-16, and nowhere else")
    func binaryMarks() {
        func list(_ kind: UInt8, _ count: Int) -> Data {
            let (high, low) = (UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count))
            let contents = (0..<count).flatMap { _ in [0x03, 0x01] as [UInt8] }
            return BinaryList.of([.array([1]), .raw([kind << 4 | 15, 0x11, high, low] + contents)])
        }
        #expect(PropertyListShape.isHarmless(list(6, 1024)))
        #expect(!PropertyListShape.isHarmless(list(6, 1025)))
        #expect(PropertyListShape.isHarmless(list(4, 5000)))
        let ascii = Array(String(repeating: "\u{301}", count: 1025).utf8)
        let count = [UInt8(ascii.count >> 8), UInt8(ascii.count & 0xFF)]
        #expect(!PropertyListShape.isHarmless(BinaryList.of([.array([1]), .raw([0x5F, 0x11] + count + ascii)])))
    }

    @Test("a text that is referred to very often counts each time")
    func repeated() {
        let text = BinaryList.Object.raw([0x5F, 0x12, 0, 1, 0, 0] + [UInt8](repeating: 0x61, count: 1 << 16))
        let some = BinaryList.of([.array([1, 1, 1]), .array([2, 2, 2]), text])
        #expect(PropertyListShape.isHarmless(some))
        let many = BinaryList.of([.array([1, 1, 1, 1, 1, 1, 1, 1, 1]), .array([2, 2, 2, 2, 2, 2, 2, 2]), text])
        #expect(!PropertyListShape.isHarmless(many))
    }

    @Test("no byte of a binary list that is altered, and no end that is cut off, makes more than a refusal")
    func altered() {
        let list = BinaryList.of([.array([1, 2, 3]), .text("text"), .dictionary(1, 3), .raw([0x10, 7])])
        #expect(PropertyListShape.isHarmless(list))
        for count in 0..<list.count { #expect(!PropertyListShape.isHarmless(list.prefix(count))) }
        for index in list.indices {
            for value in 0...255 as ClosedRange<UInt8> {
                var altered = list
                altered[index] = value
                guard PropertyListShape.isHarmless(altered) else { continue }
                _ = try? PropertyListSerialization.propertyList(from: altered, format: nil)
            }
        }
    }
}
