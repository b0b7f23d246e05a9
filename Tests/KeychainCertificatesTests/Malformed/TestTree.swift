// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport

/// DER as a tree that can be changed and written again with right lengths.
struct TestTree {
    var tag: UInt8
    var content: [UInt8] = []
    var children: [TestTree] = []

    enum Change: CaseIterable {
        case leftOut, emptied, null, primitive, doubled, shortened
    }

    /// The place of a value in an encoding.
    struct Place {
        var offset: Int
        /// The last octet of the length.
        var lengthOffset: Int
    }

    var isConstructed: Bool { tag & 0x20 != 0 }

    /// The number of values in the tree.
    var count: Int { children.reduce(1) { $0 + $1.count } }

    var der: [UInt8] { TestDER.value(tag, isConstructed ? children.flatMap(\.der) : content) }

    /// The tree with a change to the value of an index, counted from the outside in.
    func changed(_ index: Int, _ change: Change) -> TestTree {
        guard index > 0 else { return altered(change) ?? TestTree(tag: 0x05) }
        var copy = self
        var rest = index - 1
        for (position, child) in children.enumerated() {
            if rest == 0, change == .leftOut {
                copy.children.remove(at: position)
                return copy
            }
            if rest == 0, change == .doubled {
                copy.children.insert(child, at: position)
                return copy
            }
            if rest < child.count {
                copy.children[position] = child.changed(rest, change)
                return copy
            }
            rest -= child.count
        }
        return copy
    }

    private func altered(_ change: Change) -> TestTree? {
        switch change {
        case .leftOut, .doubled: nil
        case .emptied: TestTree(tag: tag)
        case .null: TestTree(tag: 0x05)
        case .primitive: TestTree(tag: tag ^ 0x20, content: isConstructed ? children.flatMap(\.der) : content)
        case .shortened:
            isConstructed
                ? TestTree(tag: tag, children: Array(children.dropLast()))
                : TestTree(tag: tag, content: Array(content.dropLast()))
        }
    }

    static func parse(_ bytes: [UInt8]) -> TestTree? {
        var rest = bytes[...]
        let tree = next(&rest)
        return rest.isEmpty ? tree : nil
    }

    /// The places of all values, those in constructed ones as well.
    static func all(of bytes: [UInt8]) -> [Place] {
        var places: [Place] = []
        func walk(_ range: Range<Int>) {
            var position = range.lowerBound
            while position < range.upperBound {
                let (header, count) = header(bytes[position...])
                places.append(Place(offset: position, lengthOffset: position + header - 1))
                let content = position + header..<position + header + count
                if bytes[position] & 0x20 != 0 { walk(content) }
                position = content.upperBound
            }
        }
        walk(bytes.indices)
        return places
    }

    private static func next(_ bytes: inout ArraySlice<UInt8>) -> TestTree? {
        guard let tag = bytes.first else { return nil }
        let (header, count) = header(bytes)
        var content = bytes.dropFirst(header).prefix(count)
        bytes = bytes.dropFirst(header + count)
        guard tag & 0x20 != 0 else { return TestTree(tag: tag, content: Array(content)) }
        var tree = TestTree(tag: tag)
        while let child = next(&content) { tree.children.append(child) }
        return tree
    }

    /// The number of octets of tag and length, and that of the content.
    private static func header(_ bytes: ArraySlice<UInt8>) -> (Int, Int) {
        let first = bytes[bytes.startIndex + 1]
        guard first >= 0x80 else { return (2, Int(first)) }
        let octets = bytes.dropFirst(2).prefix(Int(first & 0x7F))
        return (2 + octets.count, octets.reduce(0) { $0 << 8 | Int($1) })
    }
}
