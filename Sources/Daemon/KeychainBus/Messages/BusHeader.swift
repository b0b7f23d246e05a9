// SPDX-License-Identifier: Apache-2.0

/// The header of a message (D-Bus Specification, "Header Fields").
///
/// Names and paths are ASCII, so they can be compared as strings. Fields that the specification does not know are not
/// passed on.
package struct BusHeader: Sendable, Hashable {
    /// The order of bytes, also of the body.
    package var order = ByteOrder.little
    /// The kind of message.
    package var type: BusMessageType
    /// The flags.
    package var flags: UInt8 = 0
    /// The number of the message.
    package var serial: UInt32

    /// The object that is called, or that sends the signal.
    package var path: String?
    /// The interface of the method or of the signal.
    package var interface: String?
    /// The name of the method or of the signal.
    package var member: String?
    /// The name of the error.
    package var errorName: String?
    /// The number of the call that this answers.
    package var replySerial: UInt32?
    /// The connection that is to get it.
    package var destination: String?
    /// The connection that sent it, which the bus enters.
    package var sender: String?
    /// The types of the values of the body.
    package var signature = ""
    /// How many descriptors are passed with it.
    package var descriptorCount: UInt32 = 0

    /// No fields yet.
    package init(_ type: BusMessageType, serial: UInt32) {
        self.type = type
        self.serial = serial
    }

    /// Whether the sender wants a reply.
    package var expectsReply: Bool { type == .methodCall && flags & 1 == 0 }

    /// Whether the message may start a service.
    package var mayStart: Bool { flags & 2 == 0 }

    private enum Field: UInt8 {
        case path = 1
        case interface, member, errorName, replySerial, destination, sender, signature, descriptors
    }
}

// MARK: - Reading

extension BusHeader {
    /// Reads the fields of a header that has arrived as a whole.
    ///
    /// - Throws: ``BusFailure``.
    package init(_ head: BusFrameHead, _ bytes: UnsafeRawBufferPointer) throws(BusFailure) {
        self.init(head.type, serial: head.serial)
        (order, flags) = (head.order, head.flags)
        guard bytes.count == head.headerByteCount else { throw .malformed }
        let end = BusFrameHead.byteCount + head.fieldByteCount
        let fields = UnsafeRawBufferPointer(rebasing: bytes[..<end])
        var reader = BusValueReader(fields, order: order, offset: BusFrameHead.byteCount)
        var seen: UInt16 = 0
        while !reader.isAtEnd {
            try reader.align(to: 8)
            let code = try reader.byte()
            guard code != 0 else { throw .malformed }
            if let field = Field(rawValue: code) {
                guard seen & 1 << code == 0 else { throw .malformed }
                seen |= 1 << code
                try read(field, &reader)
            } else {
                try Self.skipUnknown(&reader)
            }
        }
        guard bytes[end...].allSatisfy({ $0 == 0 }) else { throw .malformed }
        try check(bodyByteCount: head.bodyByteCount)
    }

    private mutating func read(_ field: Field, _ reader: inout BusValueReader) throws(BusFailure) {
        let type = try Self.type(&reader)
        switch (field, type) {
        case (.path, "o"): path = try Self.name(&reader) { BusNames.isPath($0) }
        case (.interface, "s"): interface = try Self.name(&reader) { BusNames.isInterface($0) }
        case (.member, "s"): member = try Self.name(&reader) { BusNames.isMember($0) }
        case (.errorName, "s"): errorName = try Self.name(&reader) { BusNames.isInterface($0) }
        case (.replySerial, "u"):
            replySerial = try reader.number()
            guard replySerial != 0 else { throw .malformed }
        case (.destination, "s"): destination = try Self.name(&reader) { BusNames.isBusName($0) }
        case (.sender, "s"): sender = try Self.name(&reader) { BusNames.isBusName($0) }
        case (.signature, "g"): signature = String(decoding: try reader.signature(), as: UTF8.self)
        case (.descriptors, "u"): descriptorCount = try reader.number()
        default: throw .malformed
        }
    }

    /// The type of a field, which is one of the basic ones that the fields of the specification have.
    private static func type(_ reader: inout BusValueReader) throws(BusFailure) -> Unicode.Scalar {
        guard try reader.byte() == 1 else { throw .malformed }
        let code = try reader.byte()
        guard try reader.byte() == 0 else { throw .malformed }
        return Unicode.Scalar(code)
    }

    private static func name(
        _ reader: inout BusValueReader,
        _ isValid: (UnsafeRawBufferPointer) -> Bool
    ) throws(BusFailure) -> String {
        let bytes = try reader.text()
        guard isValid(bytes) else { throw .malformed }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func skipUnknown(_ reader: inout BusValueReader) throws(BusFailure) {
        switch try type(&reader) {
        case "y": _ = try reader.byte()
        case "u": _ = try reader.number()
        case "s": _ = try reader.text()
        case "o": guard BusNames.isPath(try reader.text()) else { throw .malformed }
        case "g": _ = try reader.signature()
        default: throw .malformed
        }
    }

    /// Checks that there are the fields that each kind of message must have.
    private func check(bodyByteCount: Int) throws(BusFailure) {
        let isComplete =
            switch type {
            case .methodCall: path != nil && member != nil
            case .signal: path != nil && member != nil && interface != nil
            case .error: errorName != nil && replySerial != nil
            case .methodReturn: replySerial != nil
            }
        // Reserved for messages that a library makes up for its own program.
        let isLocal = path == "/org/freedesktop/DBus/Local" || interface == "org.freedesktop.DBus.Local"
        guard isComplete, !isLocal, signature.isEmpty == (bodyByteCount == 0) else { throw .malformed }
    }
}

// MARK: - Writing

extension BusHeader {
    /// The header, with the fixed part and the padding.
    package func encoded(bodyByteCount: Int) -> [UInt8] {
        var writer = BusValueWriter(order: order)
        for byte in [order.rawValue, type.rawValue, flags, 1] { writer.append(byte: byte) }
        writer.append(UInt32(bodyByteCount))
        writer.append(serial)
        writer.append(arrayAlignedTo: 8) { writer in
            append(path, as: .path, of: "o", to: &writer)
            append(interface, as: .interface, of: "s", to: &writer)
            append(member, as: .member, of: "s", to: &writer)
            append(errorName, as: .errorName, of: "s", to: &writer)
            append(replySerial, as: .replySerial, to: &writer)
            append(destination, as: .destination, of: "s", to: &writer)
            append(sender, as: .sender, of: "s", to: &writer)
            if !signature.isEmpty {
                begin(.signature, "g", in: &writer)
                writer.append(signature: signature)
            }
            append(descriptorCount == 0 ? nil : descriptorCount, as: .descriptors, to: &writer)
        }
        writer.align(to: 8)
        return writer.bytes
    }

    private func append(_ text: String?, as field: Field, of type: String, to writer: inout BusValueWriter) {
        guard let text else { return }
        begin(field, type, in: &writer)
        writer.append(text)
    }

    private func append(_ number: UInt32?, as field: Field, to writer: inout BusValueWriter) {
        guard let number else { return }
        begin(field, "u", in: &writer)
        writer.append(number)
    }

    private func begin(_ field: Field, _ type: String, in writer: inout BusValueWriter) {
        writer.align(to: 8)
        writer.append(byte: field.rawValue)
        writer.append(signature: type)
    }
}
