// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Reads XML (1.0) without document types: elements, their attributes, and text.
struct XMLReader {
    /// What comes next in a document.
    enum Event: Equatable {
        case start(String, attributes: [String: String])
        case text(String)
        case end(String)
    }

    private var rest: ArraySlice<UInt8>
    private var open: [String] = []
    private var pending: Event?
    private var hasRoot = false

    /// The deepest nesting of elements.
    private static let deepestNesting = 64

    /// Reads a text.
    init(_ text: String) { rest = Array(text.utf8)[...] }

    /// The next event; `nil` at the end.
    ///
    /// - Throws: ``Refusal``, which repeats nothing of the text.
    mutating func next() throws(Refusal) -> Event? {
        if let event = pending {
            pending = nil
            return event
        }
        while let first = rest.first {
            guard first == UInt8(ascii: "<") else {
                let text = rest.prefix { $0 != UInt8(ascii: "<") }
                rest = rest[text.endIndex...]
                let decoded = try Self.decoded(text)
                if open.isEmpty {
                    guard decoded.allSatisfy(\.isWhitespace) else { throw Self.failure("text outside of elements") }
                    continue
                }
                return .text(decoded)
            }
            if try skip("<?", to: "?>") != nil { continue }
            if try skip("<!--", to: "-->") != nil { continue }
            if let text = try skip("<![CDATA[", to: "]]>") {
                guard !open.isEmpty else { throw Self.failure("text outside of elements") }
                return .text(String(decoding: text, as: UTF8.self))
            }
            guard !rest.starts(with: "<!".utf8) else { throw Self.failure("a document type, which is not read") }
            return try tag()
        }
        guard open.isEmpty, hasRoot else { throw Self.failure("an element without an end") }
        return nil
    }

    /// Reads to the end of the element that began last, and returns its text.
    mutating func text() throws(Refusal) -> String {
        var text = ""
        var depth = 1
        while let event = try next() {
            switch event {
            case .text(let more): if depth == 1 { text += more }
            case .start: depth += 1
            case .end:
                depth -= 1
                if depth == 0 { return text }
            }
        }
        return text
    }

    private mutating func skip(_ start: StaticString, to end: StaticString) throws(Refusal) -> ArraySlice<UInt8>? {
        let (start, end) = (Array("\(start)".utf8), Array("\(end)".utf8))
        guard rest.starts(with: start) else { return nil }
        let text = rest
        var place = rest.startIndex + start.count
        let first = place
        while place + end.count <= rest.endIndex {
            if rest[place] == end[0], rest[place...].starts(with: end) {
                rest = rest[(place + end.count)...]
                return text[first..<place]
            }
            place += 1
        }
        throw Self.failure("something without an end")
    }

    private mutating func tag() throws(Refusal) -> Event {
        rest.removeFirst()
        let isEnd = rest.first == UInt8(ascii: "/")
        if isEnd { rest.removeFirst() }
        let name = try takeName()
        guard !isEnd else {
            skipBlanks()
            guard rest.popFirst() == UInt8(ascii: ">"), open.popLast() == name else {
                throw Self.failure("an end that does not match")
            }
            return .end(name)
        }
        guard open.count < Self.deepestNesting, !open.isEmpty || !hasRoot else {
            throw Self.failure("too many elements in each other")
        }
        hasRoot = true
        var attributes: [String: String] = [:]
        while true {
            skipBlanks()
            switch rest.first {
            case UInt8(ascii: ">"):
                rest.removeFirst()
                open.append(name)
                return .start(name, attributes: attributes)
            case UInt8(ascii: "/"):
                rest.removeFirst()
                guard rest.popFirst() == UInt8(ascii: ">") else { throw Self.failure("a tag without an end") }
                pending = .end(name)
                return .start(name, attributes: attributes)
            default:
                let attribute = try takeName()
                skipBlanks()
                guard rest.popFirst() == UInt8(ascii: "=") else { throw Self.failure("an attribute without a value") }
                skipBlanks()
                guard let quote = rest.popFirst(), quote == 0x22 || quote == 0x27 else {
                    throw Self.failure("an attribute without quotation marks")
                }
                let value = rest.prefix { $0 != quote }
                rest = rest[value.endIndex...]
                guard rest.popFirst() != nil else { throw Self.failure("an attribute without an end") }
                attributes[attribute] = try Self.decoded(value)
            }
        }
    }

    private mutating func skipBlanks() { rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

    private mutating func takeName() throws(Refusal) -> String {
        let name = rest.prefix { $0 > 0x20 && !"/>=<\"'&".utf8.contains($0) }
        guard !name.isEmpty else { throw Self.failure("a tag without a name") }
        rest = rest[name.endIndex...]
        return String(decoding: name, as: UTF8.self)
    }

    /// Text with its references; line ends become line feeds.
    private static func decoded(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> String {
        var (decoded, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes)
        while let byte = rest.popFirst() {
            switch byte {
            case 0x0D:
                decoded.append(0x0A)
                if rest.first == 0x0A { rest.removeFirst() }
            case UInt8(ascii: "&"):
                guard let end = rest.firstIndex(of: UInt8(ascii: ";")), end - rest.startIndex <= 10,
                    let scalar = scalar(String(decoding: rest[..<end], as: UTF8.self))
                else { throw failure("a reference that is not known") }
                rest = rest[(end + 1)...]
                decoded += String(Character(scalar)).utf8
            default: decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func scalar(_ name: String) -> Unicode.Scalar? {
        let named: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        if let scalar = named[name] { return scalar }
        if name.hasPrefix("#x") { return UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init) }
        guard name.hasPrefix("#") else { return nil }
        return UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
    }

    private static func failure(_ what: String) -> Refusal { Refusal("the XML has \(what)") }
}
