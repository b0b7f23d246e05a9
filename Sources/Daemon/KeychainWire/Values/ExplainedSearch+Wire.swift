// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension ExplainedSearch: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: itemClass, terms, limit, hasExplicitLimit, returns, authenticationUI, population)
        try writer.write(values: matchCount, patterns, candidates, isBounded, comparesEveryItem, loneHalves)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            itemClass: reader.value(),
            terms: reader.value(),
            limit: reader.value(),
            hasExplicitLimit: reader.value(),
            returns: reader.value(),
            authenticationUI: reader.value(),
            population: reader.value(),
            matchCount: reader.value(),
            patterns: reader.value(),
            candidates: reader.value(),
            isBounded: reader.value(),
            comparesEveryItem: reader.value(),
            loneHalves: reader.value()
        )
    }
}

extension ExplainedSearch.Limit: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .one: try writer.write(case: 1)
        case .atMost(let count): try writer.write(case: 2, count)
        case .all: try writer.write(case: 3)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .one
        case 2: self = try .atMost(reader.value())
        case 3: self = .all
        default: throw .unknownCase
        }
    }
}

extension ExplainedSearch.AuthenticationUI: WireRawValue {}

extension ExplainedSearch.Pattern: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: itemClass, failed, count) }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(itemClass: reader.value(), failed: reader.value(), count: reader.value())
    }
}

extension ExplainedTerm: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: key, kind, value, groups, isGiven, ruledOut, ruledOutAlone)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            key: reader.value(),
            kind: reader.value(),
            value: reader.value(),
            groups: reader.value(),
            isGiven: reader.value(),
            ruledOut: reader.value(),
            ruledOutAlone: reader.value()
        )
    }
}

extension ExplainedTerm.Kind: WireRawValue {}

// MARK: - Items

extension ExplainedItem: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: itemClass, persistentReference, level, attributes, hasData, condition, access)
        try writer.write(values: group, isSynchronizable, isInClientGroups, failed, passedOver, unknown)
        try writer.nested { (writer) throws(WireError) in try writer.write(values: halves) }
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            itemClass: reader.value(),
            persistentReference: reader.value(),
            level: reader.value(),
            attributes: reader.value(),
            hasData: reader.value(),
            condition: reader.value(),
            access: reader.value(),
            group: reader.value(),
            isSynchronizable: reader.value(),
            isInClientGroups: reader.value(),
            failed: reader.value(),
            passedOver: reader.value(),
            unknown: reader.value()
        )
        halves = try reader.nested { (reader) throws(WireError) in try reader.value() }
    }
}

extension ExplainedItem.Condition: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .open: try writer.write(case: 1)
        case .locked: try writer.write(case: 2)
        case .destroyed: try writer.write(case: 3)
        case .damaged(let name): try writer.write(case: 4, name)
        case .quarantined(let name): try writer.write(case: 5, name)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .open
        case 2: self = .locked
        case 3: self = .destroyed
        case 4: self = try .damaged(reader.value())
        case 5: self = try .quarantined(reader.value())
        default: throw .unknownCase
        }
    }
}

extension ExplainedItem.Access: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .granted: try writer.write(case: 1)
        case .demanded(let obstacle): try writer.write(case: 2, obstacle)
        case .denied: try writer.write(case: 3)
        case .unknown: try writer.write(case: 4)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .granted
        case 2: self = try .demanded(obstacle: reader.value())
        case 3: self = .denied
        case 4: self = .unknown
        default: throw .unknownCase
        }
    }
}

// MARK: - Attributes

extension Attributes: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(elementCount: count)
        for (name, value) in self { try writer.write(values: name, value) }
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init()
        for _ in 0..<(try reader.elementCount()) {
            let name = try reader.value(AttributeName.self)
            guard self[name] == nil else { throw .invalidValue }
            self[name] = try reader.value(AttributeValue.self)
        }
    }
}

extension AttributeName: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(code) }

    init(from reader: inout WireReader) throws(WireError) {
        let code = try reader.number(UInt32.self)
        // Four ASCII characters.
        guard code & 0x8080_8080 == 0 else { throw .invalidValue }
        self.init(code: code)
    }
}

extension AttributeValue: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .string(let text): try writer.write(case: 1, text)
        case .data(let bytes): try writer.write(case: 2, bytes)
        case .number(let number): try writer.write(case: 3, number)
        case .date(let date): try writer.write(case: 4, date)
        case .accessControl(let accessControl): try writer.write(case: 5, accessControl)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .string(reader.value())
        case 2: self = try .data(reader.value())
        case 3: self = try .number(reader.value())
        case 4: self = try .date(reader.value())
        case 5: self = try .accessControl(reader.value())
        default: throw .unknownCase
        }
    }
}
