// SPDX-License-Identifier: Apache-2.0

import KeychainBus
import Testing

/// Values that have others in them, as a program of ours reads them.
struct BusValueReaderTests {
    /// Reads bytes, and says whether all were read.
    private func reads(
        _ bytes: [UInt8],
        _ body: (inout BusValueReader) throws(BusFailure) -> Void
    ) throws(BusFailure) -> Bool {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(BusFailure) in
                var reader = BusValueReader(bytes, order: .little)
                try body(&reader)
                return reader.isAtEnd
            }
        }
        return try result.get()
    }

    private func skips(_ types: String, _ write: (inout BusValueWriter) -> Void) throws(BusFailure) -> Bool {
        var writer = BusValueWriter()
        write(&writer)
        return try reads(writer.bytes) { (reader) throws(BusFailure) in try reader.skip(types) }
    }

    @Test("values of all types are passed over")
    func containers() throws {
        #expect(
            try skips("a{sv}as") { writer in
                writer.append(arrayAlignedTo: 8) { writer in
                    writer.align(to: 8)
                    writer.append("name")
                    writer.append(signature: "a(yv)")
                    writer.append(arrayAlignedTo: 8) { writer in
                        writer.append(byte: 1)
                        writer.append(signature: "u")
                        writer.append(7)
                    }
                    writer.align(to: 8)
                    writer.append("empty")
                    writer.append(signature: "a{s(ot)}")
                    writer.append(arrayAlignedTo: 8) { _ in }
                }
                writer.append(["a", ""])
            }
        )
    }

    @Test("a map of properties is read in any order, and what is not known is passed over")
    func properties() throws {
        var writer = BusValueWriter()
        writer.append(arrayAlignedTo: 8) { writer in
            writer.append("Other")
            writer.append(signature: "as")
            writer.append(["x"])
            writer.align(to: 8)
            writer.append("Label")
            writer.append(signature: "s")
            writer.append("label")
        }
        var label = ""
        let isRead = try reads(writer.bytes) { (reader) throws(BusFailure) in
            try reader.properties { (reader, name, types) throws(BusFailure) in
                if name == "Label" { label = try reader.string() } else { try reader.skip(types) }
            }
        }
        #expect(isRead && label == "label")
    }

    @Test("a body with a byte behind its values is refused")
    func trailingByte() throws {
        var header = BusHeader(.methodReturn, serial: 1)
        (header.replySerial, header.signature) = (1, "u")
        func number(_ body: [UInt8]) throws(BusClientError) -> UInt32 {
            try BusFrame(header, BusBody(body)).values("u") { (reader) throws(BusFailure) in try reader.number() }
        }
        #expect(try number([7, 0, 0, 0]) == 7)
        #expect(throws: BusClientError.unexpected) { try number([7, 0, 0, 0, 0]) }
    }

    @Test("variants in variants, and lengths beyond the end, are refused")
    func hostile() throws {
        #expect(throws: BusFailure.malformed) {
            try skips("v") { writer in
                for _ in 0..<100_000 { writer.append(signature: "v") }
            }
        }
        for types in ["as", "ay", "s", "a{sv}", "at", "v", "(yv)"] {
            #expect(throws: BusFailure.malformed, "\(types)") {
                try skips(types) { writer in writer.append(UInt32.max) }
            }
        }
        // An element that is longer than its array.
        let elements: [UInt8] = [2, 0, 0, 0, 1, 0, 0, 0, 0x61, 0]
        #expect(throws: BusFailure.malformed) {
            try reads(elements) { (reader) throws(BusFailure) in _ = try reader.strings() }
        }
    }
}
