// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainBus

/// Messages as bytes.
@Suite struct FrameTests {
    private static let limit = 17 << 20

    private static func read(_ bytes: [UInt8], pieces: Int = .max) throws -> BusFrame? {
        var reader = BusFrameReader(atMost: limit)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            let (taken, frame) = try piece.withUnsafeBytes { try reader.append($0) }
            if let frame { return frame }
            rest = rest.dropFirst(taken)
        }
        return nil
    }

    private static func header(_ order: ByteOrder = .little) -> BusHeader {
        var header = BusHeader(.methodCall, serial: 7)
        header.order = order
        (header.path, header.interface, header.member) = ("/a/b", "org.example.I", "M")
        (header.destination, header.sender, header.signature) = ("org.example.N", ":1.5", "as")
        (header.descriptorCount, header.flags) = (2, 1)
        return header
    }

    @Test("a message is read as it was written", arguments: [ByteOrder.little, .big], [1, 3, 16, 1_000_000])
    func roundTrip(_ order: ByteOrder, _ pieces: Int) throws {
        let header = Self.header(order)
        var writer = BusValueWriter(order: order)
        writer.append(["one", "\u{E9}"])
        let bytes = header.encoded(bodyByteCount: writer.bytes.count) + writer.bytes
        let frame = try #require(try Self.read(bytes, pieces: pieces))
        #expect(frame.header == header)
        #expect(try frame.texts() == ["one", "\u{E9}"])
    }

    @Test("nothing is held for a body that does not come")
    func memory() throws {
        var reader = BusFrameReader(atMost: Self.limit)
        let bytes = Self.header().encoded(bodyByteCount: 16 << 20) + [1, 2, 3]
        let (taken, frame) = try bytes.withUnsafeBytes { try reader.append($0) }
        #expect(taken == bytes.count && frame == nil)
        #expect(reader.capacity < 8_192)
    }

    @Test("large messages are refused when all together would hold too much, small ones are not")
    func sharedMemory() throws {
        let memory = BusMemory(atMost: 1 << 20)
        let large = [UInt8](repeating: 0, count: 1 << 20)
        var first = BusFrameReader(atMost: Self.limit, countedBy: memory)
        var second = BusFrameReader(atMost: Self.limit, countedBy: memory)
        let header = Self.header().encoded(bodyByteCount: large.count)
        for bytes in [header, large] { _ = try bytes.withUnsafeBytes { try first.append($0) }.taken }
        // What was read is not counted once nobody has it.
        for bytes in [header, Array(large.dropLast())] { _ = try bytes.withUnsafeBytes { try second.append($0) } }
        var third = BusFrameReader(atMost: Self.limit, countedBy: memory)
        _ = try header.withUnsafeBytes { try third.append($0) }
        #expect(throws: BusFailure.tooLong) { try large.withUnsafeBytes { _ = try third.append($0) } }
        var fourth = BusFrameReader(atMost: Self.limit, countedBy: memory)
        let small = Self.header().encoded(bodyByteCount: 4) + [0, 0, 0, 0]
        let frame = try small.withUnsafeBytes { try fourth.append($0).frame }
        #expect(frame != nil)
    }

    /// A change of one byte of the fixed part by which a message is refused before the rest has come.
    @Test(
        "the fixed part refuses a message",
        arguments: [
            (0, UInt8(ascii: "x"), BusFailure.malformed), (1, 0, .malformed), (1, 5, .malformed), (3, 0, .malformed),
            (3, 2, .malformed), (8, 0, .malformed), (7, 8, .tooLong), (7, 2, .tooLong), (14, 2, .tooLong),
            (15, 0x80, .tooLong),
        ]
    )
    func fixedPart(offset: Int, value: UInt8, failure: BusFailure) {
        var bytes = Array(Self.header().encoded(bodyByteCount: 0).prefix(BusFrameHead.byteCount))
        bytes[offset] = value
        #expect(throws: failure) { try Self.read(bytes) }
    }

    /// Headers that lack what they need, or have what they may not have.
    static let refused: [(String, @Sendable (inout BusHeader) -> Void)] = [
        ("a call without a path", { $0.path = nil }),
        ("a call without a member", { $0.member = nil }),
        ("a signal without an interface", { ($0.type, $0.interface) = (.signal, nil) }),
        ("a reply without a number", { $0.type = .methodReturn }),
        ("a reply to number 0", { ($0.type, $0.replySerial) = (.methodReturn, 0) }),
        ("an error without a name", { ($0.type, $0.replySerial) = (.error, 1) }),
        ("a body without types", { $0.signature = "" }),
        ("types that are none", { $0.signature = "a" }),
        ("a structure without members", { $0.signature = "()" }),
        ("an entry outside of an array", { $0.signature = "{ss}" }),
        ("an entry with a key of a structure", { $0.signature = "a{(s)s}" }),
        ("arrays too deep", { $0.signature = String(repeating: "a", count: 33) + "s" }),
        (
            "structures too deep",
            { $0.signature = String(repeating: "(", count: 33) + "s" + String(repeating: ")", count: 33) }
        ),
        ("a path that is not absolute", { $0.path = "a" }),
        ("a path with an empty element", { $0.path = "/a//b" }),
        ("a path that ends with a slash", { $0.path = "/a/" }),
        ("a path with a point", { $0.path = "/a.b" }),
        ("a member with a point", { $0.member = "a.b" }),
        ("a member that begins with a digit", { $0.member = "1a" }),
        ("a member that is empty", { $0.member = "" }),
        ("a member of 256 bytes", { $0.member = String(repeating: "a", count: 256) }),
        ("an interface of one element", { $0.interface = "org" }),
        ("an interface with an empty element", { $0.interface = "org..a" }),
        ("an interface with a dash", { $0.interface = "org.a-b" }),
        ("an interface that begins with a point", { $0.interface = ".org.a" }),
        ("a destination that is empty", { $0.destination = "" }),
        ("a destination with a digit first", { $0.destination = "org.1a" }),
        ("a destination that is not ASCII", { $0.destination = "org.\u{E9}" }),
        ("a unique name of one element", { $0.destination = ":1" }),
        ("the path of a library's own messages", { $0.path = "/org/freedesktop/DBus/Local" }),
        ("the interface of a library's own messages", { $0.interface = "org.freedesktop.DBus.Local" }),
    ]

    @Test("a header that is not as the specification says is refused", arguments: refused.indices)
    func headers(_ index: Int) {
        let (name, change) = Self.refused[index]
        var header = Self.header()
        change(&header)
        let bytes = header.encoded(bodyByteCount: 4) + [0, 0, 0, 0]
        #expect(throws: BusFailure.malformed, "\(name)") { try Self.read(bytes) }
    }

    @Test("a header that is unusual, but valid, is not")
    func unusualHeaders() throws {
        let changes: [@Sendable (inout BusHeader) -> Void] = [
            { $0.path = "/" }, { $0.interface = nil }, { $0.destination = ":1.0.9-_a" }, { $0.destination = nil },
            { $0.signature = "a{s(ayv)}h" }, { $0.path = "/" + String(repeating: "a", count: 10_000) },
            { $0.signature = String(repeating: "a", count: 32) + "s" }, { $0.destination = "a.b-c" },
        ]
        for change in changes {
            var header = Self.header()
            change(&header)
            let frame = try Self.read(header.encoded(bodyByteCount: 4) + [0, 0, 0, 0])
            #expect(frame?.header == header)
        }
    }

    /// The fields of a call, and others in front of them.
    private static func bytes(with field: [UInt8]) -> [UInt8] {
        let whole = header().encoded(bodyByteCount: 4)
        var padded = field
        while padded.count % 8 != 0 { padded.append(0) }
        var bytes = Array(whole.prefix(BusFrameHead.byteCount))
        let head = bytes.withUnsafeBytes { try? BusFrameHead($0, limit: limit) }
        bytes[12] = UInt8((head?.fieldByteCount ?? 0) + padded.count)
        return bytes + padded + whole.dropFirst(BusFrameHead.byteCount) + [0, 0, 0, 0]
    }

    @Test(
        "fields that nobody knows are passed over if they are of a type of a field, and well formed",
        arguments: [
            ([10, 1, 0x73, 0, 1, 0, 0, 0, 0x61, 0], true),  // s
            ([200, 1, 0x75, 0, 1, 0, 0, 0], true),  // u
            ([200, 1, 0x79, 0, 1], true),  // y
            ([200, 1, 0x67, 0, 1, 0x73, 0], true),  // g
            ([200, 1, 0x6F, 0, 1, 0, 0, 0, 0x2F, 0], true),  // o
            ([0, 1, 0x73, 0, 1, 0, 0, 0, 0x61, 0], false),  // the field that is none
            ([200, 1, 0x76, 0, 1, 0x73, 0], false),  // v
            ([200, 2, 0x75, 0x75, 0, 0, 0, 0], false),  // two types
            ([10, 1, 0x73, 0, 1, 0, 0, 0, 0xFF, 0], false),  // not UTF-8
            ([10, 1, 0x73, 0, 1, 0, 0, 0, 0x00, 0], false),  // NUL
            ([10, 1, 0x73, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x61, 0], false),  // longer than the fields
            ([2, 1, 0x73, 0, 3, 0, 0, 0, 0x61, 0x2E, 0x62, 0], false),  // the interface twice
            ([1, 1, 0x73, 0, 1, 0, 0, 0, 0x2F, 0], false),  // a path that is a string
        ] as [([UInt8], Bool)]
    )
    func unknownFields(_ field: [UInt8], _ isValid: Bool) {
        let frame = Result { try Self.read(Self.bytes(with: field)) }
        #expect(((try? frame.get()) != nil) == isValid)
    }
}
