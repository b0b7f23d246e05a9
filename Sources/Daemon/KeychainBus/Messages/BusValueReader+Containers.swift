// SPDX-License-Identifier: Apache-2.0

/// Reads values that have others in them.
extension BusValueReader {
    /// How deep variants are in others, at most: each is some bytes, and a call of a function.
    private static let deepestVariant = 64

    /// A text, or the path of an object.
    package mutating func string() throws(BusFailure) -> String { String(decoding: try text(), as: UTF8.self) }

    /// The types of a variant, whose value comes next.
    package mutating func variant() throws(BusFailure) -> String { String(decoding: try signature(), as: UTF8.self) }

    /// Reads an array, element by element.
    ///
    /// - Parameters:
    ///   - boundary: the alignment of its elements.
    ///   - read: reads one.
    /// - Throws: ``BusFailure``.
    package mutating func array(
        alignedTo boundary: Int,
        _ read: (inout BusValueReader) throws(BusFailure) -> Void
    ) throws(BusFailure) {
        let count = Int(try number())
        try align(to: boundary)
        let end = offset + count
        while offset < end {
            try align(to: boundary)
            try read(&self)
        }
        guard offset == end else { throw .malformed }
    }

    /// An array of texts, or of the paths of objects.
    package mutating func strings() throws(BusFailure) -> [String] {
        var strings: [String] = []
        try array(alignedTo: 4) { (reader) throws(BusFailure) in strings.append(try reader.string()) }
        return strings
    }

    /// Reads a map of names to variants: the types of each value are passed, and whoever does not read it skips it.
    package mutating func properties(
        _ read: (inout BusValueReader, _ name: String, _ types: String) throws(BusFailure) -> Void
    ) throws(BusFailure) {
        try array(alignedTo: 8) { (reader) throws(BusFailure) in
            let name = try reader.string()
            try read(&reader, name, try reader.variant())
        }
    }

    /// Passes over values of complete types.
    package mutating func skip(_ types: String) throws(BusFailure) { try skip(types, depth: 0) }

    private mutating func skip(_ types: String, depth: Int) throws(BusFailure) {
        guard depth < Self.deepestVariant else { throw .malformed }
        var rest = Array(types.utf8)[...]
        while !rest.isEmpty { try skipValue(&rest, depth) }
    }

    private mutating func skipValue(_ types: inout ArraySlice<UInt8>, _ depth: Int) throws(BusFailure) {
        guard let code = types.popFirst() else { throw .malformed }
        switch code {
        case UInt8(ascii: "y"): _ = try byte()
        case UInt8(ascii: "n"), UInt8(ascii: "q"): try skip(aligned: 2)
        case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "h"): try skip(aligned: 4)
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"): try skip(aligned: 8)
        case UInt8(ascii: "s"), UInt8(ascii: "o"): _ = try text()
        case UInt8(ascii: "g"): _ = try signature()
        case UInt8(ascii: "v"): try skip(try variant(), depth: depth + 1)
        case UInt8(ascii: "("), UInt8(ascii: "{"):
            try align(to: 8)
            while let next = types.first, next != UInt8(ascii: ")"), next != UInt8(ascii: "}") {
                try skipValue(&types, depth)
            }
            _ = types.popFirst()
        case UInt8(ascii: "a"):
            let element = types
            var isEmpty = true
            try array(alignedTo: Self.alignment(of: element.first)) { (reader) throws(BusFailure) in
                (types, isEmpty) = (element, false)
                try reader.skipValue(&types, depth)
            }
            // Its types were not passed over then.
            if isEmpty { Self.passType(&types) }
        default: throw .malformed
        }
    }

    private static func alignment(of type: UInt8?) -> Int {
        switch type {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
        default: 4
        }
    }

    /// Passes over one complete type.
    private static func passType(_ types: inout ArraySlice<UInt8>) {
        switch types.popFirst() {
        case UInt8(ascii: "a"): passType(&types)
        case UInt8(ascii: "("), UInt8(ascii: "{"):
            while let next = types.first, next != UInt8(ascii: ")"), next != UInt8(ascii: "}") { passType(&types) }
            _ = types.popFirst()
        default: break
        }
    }
}
