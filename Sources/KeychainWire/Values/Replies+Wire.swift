// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension KeychainReply: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .done: try writer.write(case: 1)
        case .answer(let answer): try writer.write(case: 2, answer)
        case .deviceStatus(let status): try writer.write(case: 3, status)
        case .biometry(let biometry): try writer.write(case: 4, biometry)
        case .context(let status): try writer.write(case: 5, status)
        case .enclave(let kind): try writer.write(case: 6, kind)
        case .enclaveKey(let key): try writer.write(case: 7, key)
        case .secret(let secret): try writer.write(case: 8, secret)
        case .integrity(let report): try writer.write(case: 9, report)
        case .count(let count): try writer.write(case: 10, count)
        case .backup(let report): try writer.write(case: 11, report)
        case .explanation(let explanation): try writer.write(case: 12, explanation)
        case .explained(let outcome): try writer.write(case: 13, outcome)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .done
        case 2: self = .answer(try reader.value())
        case 3: self = .deviceStatus(try reader.value())
        case 4: self = .biometry(try reader.value())
        case 5: self = .context(try reader.value())
        case 6: self = .enclave(try reader.value())
        case 7: self = .enclaveKey(try reader.value())
        case 8: self = .secret(try reader.value())
        case 9: self = .integrity(try reader.value())
        case 10: self = .count(try reader.value())
        case 11: self = .backup(try reader.value())
        case 12: self = .explanation(try reader.value())
        case 13: self = .explained(try reader.value())
        default: throw .unknownCase
        }
    }
}

extension KeychainAnswer: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .nothing: try writer.write(case: 1)
        case .single(let value): try writer.write(case: 2, value)
        case .list(let values): try writer.write(case: 3, values)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .nothing
        case 2: self = .single(try reader.value())
        case 3: self = .list(try reader.value())
        default: throw .unknownCase
        }
    }
}

extension ResultValue: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .data(let bytes): try writer.write(case: 1, bytes)
        case .reference(let reference): try writer.write(case: 2, reference)
        case .dictionary(let entries): try writer.write(case: 3, entries)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .data(try reader.value())
        case 2: self = .reference(try reader.value())
        case 3: self = .dictionary(try reader.value())
        default: throw .unknownCase
        }
    }
}

extension IntegrityReport: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        for count in [intactRows, lockedRows, destroyedRows] { try count.write(to: &writer) }
        try damagedRows.write(to: &writer)
        try structuralDefects.write(to: &writer)
        try keysAreLocked.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init()
        intactRows = try reader.value()
        lockedRows = try reader.value()
        destroyedRows = try reader.value()
        damagedRows = try reader.value()
        structuralDefects = try reader.value()
        keysAreLocked = try reader.value()
    }
}

extension IntegrityReport.DamagedItem: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try itemClass.write(to: &writer)
        try persistentReference.write(to: &writer)
        try damage.write(to: &writer)
        try isQuarantined.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            itemClass: try reader.value(),
            persistentReference: try reader.value(),
            damage: try reader.value(),
            isQuarantined: try reader.value()
        )
    }
}

extension BackupReport: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try items.write(to: &writer)
        try leftOut.write(to: &writer)
        try damaged.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(items: try reader.value(), leftOut: try reader.value(), damaged: try reader.value())
    }
}
