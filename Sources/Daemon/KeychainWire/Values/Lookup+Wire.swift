// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension LookupRequest: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: operation, client, context)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(try reader.value(), client: try reader.value(), context: try reader.value())
    }
}

extension LookupRequest.Operation: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .search(let attributes): try writer.write(case: 1, attributes)
        case .describe(let items): try writer.write(case: 2, items)
        case .secrets(let items): try writer.write(case: 3, items)
        case .store(let contents, let replacing): try writer.write(case: 4, contents, replacing)
        case .change(let item, let change): try writer.write(case: 5, item, change)
        case .delete(let item): try writer.write(case: 6, item)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .search(reader.value())
        case 2: self = try .describe(reader.value())
        case 3: self = try .secrets(reader.value())
        case 4: self = try .store(reader.value(), replacing: reader.value())
        case 5: self = try .change(reader.value(), reader.value())
        case 6: self = try .delete(reader.value())
        default: throw .unknownCase
        }
    }
}

extension LookupChange: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .secret(let secret, let contentType): try writer.write(case: 1, secret, contentType)
        case .label(let label): try writer.write(case: 2, label)
        case .attributes(let attributes): try writer.write(case: 3, attributes)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .secret(reader.value(), contentType: reader.value())
        case 2: self = try .label(reader.value())
        case 3: self = try .attributes(reader.value())
        default: throw .unknownCase
        }
    }
}

extension LookupAttributes: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: pairs) }

    init(from reader: inout WireReader) throws(WireError) {
        let pairs: [Pair] = try reader.value()
        // How many there may be is for the command to say: an item may have got more bytes by an item function.
        do { self = try LookupAttributes(ofAnySize: pairs) } catch { throw .invalidValue }
    }
}

extension LookupAttributes.Pair: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: name, value) }

    init(from reader: inout WireReader) throws(WireError) { self.init(try reader.value(), try reader.value()) }
}

extension LookupContents: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: attributes, label, secret, contentType, created, modified)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            attributes: try reader.value(),
            label: try reader.value(),
            secret: try reader.value(),
            contentType: try reader.value(),
            created: try reader.value(),
            modified: try reader.value()
        )
    }
}

extension LookupMatch: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: identifier, isLocked) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(try reader.value(), isLocked: try reader.value())
    }
}

extension LookupItem: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: identifier, isLocked, attributes, label, created, modified)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            try reader.value(),
            isLocked: try reader.value(),
            attributes: try reader.value(),
            label: try reader.value(),
            created: try reader.value(),
            modified: try reader.value()
        )
    }
}

extension LookupSecret: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: identifier, secret, contentType)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(try reader.value(), try reader.value(), contentType: try reader.value())
    }
}

extension LookupStored: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: identifier, isNew) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(try reader.value(), isNew: try reader.value())
    }
}
