// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A value that can be written into a message and read from one.
protocol WireValue {
    func write(to writer: inout WireWriter) throws(WireError)

    init(from reader: inout WireReader) throws(WireError)
}

extension WireReader {
    /// Reads a value of the type that is wanted.
    mutating func value<Value: WireValue>(_ type: Value.Type = Value.self) throws(WireError) -> Value {
        try Value(from: &self)
    }

    /// Reads the number of a case.
    mutating func tag() throws(WireError) -> UInt8 { try number() }
}

extension WireWriter {
    /// Writes the number of a case, and the values that belong to it.
    mutating func write<each Value: WireValue>(case tag: UInt8, _ values: repeat each Value) throws(WireError) {
        try write(tag)
        for value in repeat each values { try value.write(to: &self) }
    }

    /// Writes values one after the other.
    mutating func write<each Value: WireValue>(values: repeat each Value) throws(WireError) {
        for value in repeat each values { try value.write(to: &self) }
    }
}

// MARK: - Numbers, text, bytes

extension Bool: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(UInt8(self ? 1 : 0)) }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 0: self = false
        case 1: self = true
        default: throw .invalidValue
        }
    }
}

extension Int: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(Int64(self)) }

    init(from reader: inout WireReader) throws(WireError) {
        guard let value = Int(exactly: try reader.number(Int64.self)) else { throw .invalidValue }
        self = value
    }
}

/// An integer of a fixed size.
protocol WireInteger: WireValue, FixedWidthInteger {}

extension WireInteger {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(self) }

    init(from reader: inout WireReader) throws(WireError) { self = try reader.number() }
}

extension UInt8: WireInteger {}
extension Int32: WireInteger {}
extension Int64: WireInteger {}
extension UInt64: WireInteger {}

extension Double: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(bitPattern) }

    init(from reader: inout WireReader) throws(WireError) {
        let value = Double(bitPattern: try reader.number())
        // It is equal to nothing, itself included, so that no request with one could be compared.
        guard !value.isNaN else { throw .invalidValue }
        self = value
    }
}

extension String: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        var copy = self
        let result = copy.withUTF8 { bytes in
            Result { () throws(WireError) in try writer.write(lengthAnd: UnsafeRawBufferPointer(bytes)) }
        }
        try result.get()
    }

    init(from reader: inout WireReader) throws(WireError) { self = try reader.text() }
}

extension SecretBytes: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try withUnsafeBytes { (bytes) throws(WireError) in try writer.write(lengthAnd: bytes) }
    }

    init(from reader: inout WireReader) throws(WireError) { self.init(copying: try reader.bytesAfterLength()) }
}

extension Bytes16: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        let result = withUnsafeBytes { bytes in Result { () throws(WireError) in try writer.write(bytes) } }
        try result.get()
    }

    init(from reader: inout WireReader) throws(WireError) {
        guard let bytes = Bytes16(try reader.bytes(Bytes16.count)) else { throw .truncated }
        self = bytes
    }
}

// MARK: - Made of others

extension Optional: WireValue where Wrapped: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case nil: try writer.write(UInt8(0))
        case let value?: try writer.write(case: 1, value)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 0: self = nil
        case 1: self = try reader.value(Wrapped.self)
        default: throw .unknownCase
        }
    }
}

extension Array: WireValue where Element: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        if let bytes = self as? [UInt8] {
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(WireError) in try writer.write(lengthAnd: bytes) }
            }
            return try result.get()
        }
        try writer.write(elementCount: count)
        for element in self { try element.write(to: &writer) }
    }

    init(from reader: inout WireReader) throws(WireError) {
        if let bytes = Self.self as? [UInt8].Type {
            self = bytes.init(try reader.bytesAfterLength()) as? Self ?? []
            return
        }
        self = []
        for _ in 0..<(try reader.elementCount()) { append(try reader.value()) }
    }
}

extension Set: WireValue where Element: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(elementCount: count)
        for element in self { try element.write(to: &writer) }
    }

    init(from reader: inout WireReader) throws(WireError) {
        self = []
        for _ in 0..<(try reader.elementCount()) {
            guard insert(try reader.value()).inserted else { throw .invalidValue }
        }
    }
}

extension Dictionary: WireValue where Key: WireValue, Value: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(elementCount: count)
        for (key, value) in self {
            try key.write(to: &writer)
            try value.write(to: &writer)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        self = [:]
        for _ in 0..<(try reader.elementCount()) {
            let key = try reader.value(Key.self)
            guard updateValue(try reader.value(), forKey: key) == nil else { throw .invalidValue }
        }
    }
}

/// A type whose values are encoded as their raw value.
protocol WireRawValue: WireValue, RawRepresentable where RawValue: WireValue {}

extension WireRawValue {
    func write(to writer: inout WireWriter) throws(WireError) { try rawValue.write(to: &writer) }

    init(from reader: inout WireReader) throws(WireError) {
        guard let value = Self(rawValue: try reader.value()) else { throw .unknownCase }
        self = value
    }
}
