// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@testable import KeychainPropertyLists

/// The values of a property list.
struct PropertyListValueTests {
    private static var list: [String: Any] {
        [
            "text": "ä", "data": Data([1, 2, 3]), "yes": true, "no": false, "one": 1, "negative": -1, "large": 1 << 40,
            "largest": UInt64.max, "real": 1.5, "date": Date(timeIntervalSinceReferenceDate: 0), "empty": [String](),
            "nested": ["a": ["b", 1, true] as [Any]],
        ]
    }

    @Test("what Foundation writes is read, and written as Foundation reads it", arguments: [true, false])
    func roundTrip(_ isBinary: Bool) throws {
        let format = isBinary ? PropertyListSerialization.PropertyListFormat.binary : .xml
        let data = try PropertyListSerialization.data(fromPropertyList: Self.list, format: format, options: 0)
        let value = try #require(PropertyListValue(data))
        #expect(value.members?["yes"] == .boolean(true))
        #expect(value.members?["one"] == .integer(1))
        #expect(value.members?["largest"] == .unsigned(.max))
        #expect(value.members?["real"] == .real(1.5))
        #expect(value.members?["text"]?.string == "ä")
        #expect(value.members?["nested"]?.members?["a"]?.elements == [.string("b"), .integer(1), .boolean(true)])
        let again = try PropertyListSerialization.propertyList(from: value.xml(), format: nil)
        #expect(again as? NSDictionary == Self.list as NSDictionary)
    }

    @Test("lists on which Foundation crashes or hangs are no value", arguments: HostilePropertyList.allCases)
    func hostile(_ list: HostilePropertyList) { #expect(PropertyListValue(list.data()) == nil) }

    @Test("what is no list is no value", arguments: ["", "<plist>", "{", "bplist00"])
    func malformed(_ text: String) { #expect(PropertyListValue(Data(text.utf8)) == nil) }
}
