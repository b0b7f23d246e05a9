// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The text of a JSON object, of which one member is changed at a time; every other byte stays as somebody wrote it.
struct JSONObjectText {
    /// The text.
    private(set) var bytes: [UInt8]

    /// A member that is set: `"NAME": VALUE`.
    private struct Member {
        let name: String
        let range: Range<Int>
        let value: Range<Int>
    }

    /// The text of an object, which a parser has accepted.
    init(parsed bytes: [UInt8]) { self.bytes = bytes }

    /// Gives a member a value in JSON, or takes the member out; a new one is the first.
    ///
    /// What is added is taken out again without a trace.
    mutating func set(_ name: String, to value: String?) {
        let (start, members) = self.members
        let index = members.firstIndex { $0.name == name }
        switch (index, value) {
        case (nil, nil): return
        case (let index?, let value?): bytes.replaceSubrange(members[index].value, with: value.utf8)
        case (nil, let value?):
            let member = "\(JSONValue.quoted(name)): \(value)"
            guard let first = members.first else {
                bytes.insert(contentsOf: "\n  \(member)\n".utf8, at: start)
                return
            }
            bytes.insert(contentsOf: bytes[start..<first.range.lowerBound] + Array("\(member),".utf8), at: start)
        case (let index?, nil): bytes.removeSubrange(removal(of: index, in: members, from: start))
        }
    }

    /// What goes with a member: the comma behind it with the blanks before the name, or, of the last one, that before
    /// it.
    private func removal(of index: Int, in members: [Member], from start: Int) -> Range<Int> {
        let member = members[index]
        if index + 1 < members.count {
            return (index == 0 ? start : end(of: ",", after: members[index - 1]))..<end(of: ",", after: member)
        }
        if index > 0 { return members[index - 1].range.upperBound..<member.range.upperBound }
        let hasLineFeed = bytes[member.range.upperBound...].first == UInt8(ascii: "\n")
        return start..<member.range.upperBound + (hasLineFeed ? 1 : 0)
    }

    /// The place behind the next character of this kind after a member.
    private func end(of character: Unicode.Scalar, after member: Member) -> Int {
        let place = bytes[member.range.upperBound...].firstIndex(of: UInt8(ascii: character))
        return place.map { $0 + 1 } ?? member.range.upperBound
    }

    // MARK: - Reading

    /// The place behind the opening brace, and the members in their order.
    private var members: (start: Int, members: [Member]) {
        var place = skippingBlanks(0) + 1
        let start = place
        var members: [Member] = []
        while true {
            place = skippingBlanks(place)
            guard place < bytes.count, bytes[place] != UInt8(ascii: "}") else { return (start, members) }
            let (first, end) = (place, endOfValue(place))
            // Behind the colon.
            let value = skippingBlanks(skippingBlanks(end) + 1)
            place = endOfValue(value)
            let name = (try? JSONParser.parse(bytes[first..<end]))?.string ?? ""
            members.append(Member(name: name, range: first..<place, value: value..<place))
            place = skippingBlanks(place)
            if place < bytes.count, bytes[place] == UInt8(ascii: ",") { place += 1 }
        }
    }

    private func skippingBlanks(_ place: Int) -> Int {
        bytes[min(place, bytes.count)...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? bytes.count
    }

    /// The place behind a value; each is at least one byte long.
    private func endOfValue(_ start: Int) -> Int {
        var (place, depth) = (start, 0)
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "\""): place = endOfString(place)
            case UInt8(ascii: "{"), UInt8(ascii: "["): (place, depth) = (place + 1, depth + 1)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): (place, depth) = (place + 1, depth - 1)
            case _ where depth == 0: return bytes[place...].firstIndex(where: Self.endsWord) ?? bytes.count
            default: place += 1
            }
            if depth <= 0 { return place }
        }
        return place
    }

    private func endOfString(_ start: Int) -> Int {
        var place = start + 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place + 1, bytes.count)
    }

    /// Whether a byte comes after a number, `true`, `false` or `null`.
    private static func endsWord(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(byte)
    }
}
