// SPDX-License-Identifier: Apache-2.0

/// A call of the bus itself.
struct DriverCall {
    let connection: BusConnection
    let frame: BusFrame

    /// Reads the arguments, whose types were compared already.
    func arguments<Value>(_ read: (inout BusValueReader) throws(BusFailure) -> Value) throws(DriverError) -> Value {
        do throws(BusFailure) { return try frame.read(read) } catch {
            throw DriverError(.invalidArguments, "the arguments cannot be read")
        }
    }

    /// The only argument, a text.
    func text() throws(DriverError) -> String { try texts(1)[0] }

    /// Texts, and nothing else.
    func texts(_ count: Int) throws(DriverError) -> [String] {
        let bytes = try arguments { (reader) throws(BusFailure) in
            var bytes: [[UInt8]] = []
            for _ in 0..<count { bytes.append(Array(try reader.text())) }
            return bytes
        }
        var texts: [String] = []
        for text in bytes { texts.append(try Self.plain(text)) }
        return texts
    }

    /// A text and a number.
    func textAndNumber() throws(DriverError) -> (String, UInt32) {
        let (bytes, number) = try arguments { (reader) throws(BusFailure) in
            (Array(try reader.text()), try reader.number())
        }
        return (try Self.plain(bytes), number)
    }

    /// A text in ASCII, which can be compared at once: only names are asked for.
    private static func plain(_ bytes: [UInt8]) throws(DriverError) -> String {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { throw DriverError(.invalidArguments, "it is no valid name") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The name of a connection.
    func busName() throws(DriverError) -> String {
        let name = try text()
        guard BusNames.isBusName(name.utf8) else { throw DriverError(.invalidArguments, "it is no valid name") }
        return name
    }
}

/// The reply to a call of the bus itself.
struct DriverReply: Sendable {
    var signature = ""
    var body: [UInt8] = []
    /// A process that is passed.
    var process: BusPeer?

    static let nothing = DriverReply()

    init() {}

    init(_ text: String) {
        self.init("s") { $0.append(text) }
    }

    init(_ number: UInt32) {
        self.init("u") { $0.append(number) }
    }

    init(_ isTrue: Bool) {
        self.init("b") { $0.append(isTrue ? 1 : 0) }
    }

    init(_ texts: [String]) {
        self.init("as") { $0.append(texts) }
    }

    init(_ signature: String, _ write: (inout BusValueWriter) -> Void) {
        var writer = BusValueWriter()
        write(&writer)
        self.signature = signature
        body = writer.bytes
    }
}
