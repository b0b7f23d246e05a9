// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension HistoryRequest: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: operation, client, context)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(try reader.value(), client: try reader.value(), context: try reader.value())
    }
}

extension HistoryRequest.Subject: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: itemClass, identifier) }

    init(from reader: inout WireReader) throws(WireError) { self.init(try reader.value(), try reader.value()) }
}

extension HistoryRequest.Operation: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .values(let subject): try writer.write(case: 1, subject)
        case .secret(let subject, let value): try writer.write(case: 2, subject, value)
        case .restore(let subject, let value): try writer.write(case: 3, subject, value)
        case .keep(let number, let subject): try writer.write(case: 4, number, subject)
        case .clear(let subject): try writer.write(case: 5, subject)
        case .numberForAll: try writer.write(case: 6)
        case .keepForAll(let number): try writer.write(case: 7, number)
        case .clearAll: try writer.write(case: 8)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .values(of: reader.value())
        case 2: self = try .secret(of: reader.value(), reader.value())
        case 3: self = try .restore(reader.value(), reader.value())
        case 4:
            let number: Int? = try reader.value()
            self = try .keep(number, of: reader.value())
        case 5: self = try .clear(reader.value())
        case 6: self = .numberForAll
        case 7: self = try .keepForAll(reader.value())
        case 8: self = .clearAll
        default: throw .unknownCase
        }
    }
}

extension FormerValue: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: identifier, replaced, group, byteCount)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            try reader.value(),
            replaced: try reader.value(),
            group: try reader.value(),
            byteCount: try reader.value()
        )
    }
}

extension ItemHistory: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: keep, isOwn, values) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(keep: try reader.value(), isOwn: try reader.value(), values: try reader.value())
    }
}
