// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension ExplainedSearch: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: itemClass, terms, limit, hasExplicitLimit, returns, authenticationUI, population)
        try writer.write(values: matchCount, patterns, candidates, isBounded, comparesEveryItem, loneHalves)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            itemClass: try reader.value(),
            terms: try reader.value(),
            limit: try reader.value(),
            hasExplicitLimit: try reader.value(),
            returns: try reader.value(),
            authenticationUI: try reader.value(),
            population: try reader.value(),
            matchCount: try reader.value(),
            patterns: try reader.value(),
            candidates: try reader.value(),
            isBounded: try reader.value(),
            comparesEveryItem: try reader.value(),
            loneHalves: try reader.value()
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
        case 2: self = .atMost(try reader.value())
        case 3: self = .all
        default: throw .unknownCase
        }
    }
}

extension ExplainedSearch.AuthenticationUI: WireRawValue {}

extension ExplainedSearch.Pattern: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: itemClass, failed, count) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(itemClass: try reader.value(), failed: try reader.value(), count: try reader.value())
    }
}

extension ExplainedTerm: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: key, kind, value, groups, isGiven, ruledOut, ruledOutAlone)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            key: try reader.value(),
            kind: try reader.value(),
            value: try reader.value(),
            groups: try reader.value(),
            isGiven: try reader.value(),
            ruledOut: try reader.value(),
            ruledOutAlone: try reader.value()
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
        self.init(
            itemClass: try reader.value(),
            persistentReference: try reader.value(),
            level: try reader.value(),
            attributes: try reader.value(),
            hasData: try reader.value(),
            condition: try reader.value(),
            access: try reader.value(),
            group: try reader.value(),
            isSynchronizable: try reader.value(),
            isInClientGroups: try reader.value(),
            failed: try reader.value(),
            passedOver: try reader.value(),
            unknown: try reader.value()
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
        case 4: self = .damaged(try reader.value())
        case 5: self = .quarantined(try reader.value())
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
        case 2: self = .demanded(obstacle: try reader.value())
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
        case 1: self = .string(try reader.value())
        case 2: self = .data(try reader.value())
        case 3: self = .number(try reader.value())
        case 4: self = .date(try reader.value())
        case 5: self = .accessControl(try reader.value())
        default: throw .unknownCase
        }
    }
}
