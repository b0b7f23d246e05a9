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
        case .backup(let report): try writer.write(case: 29, report)
        case .explanation(let explanation): try writer.write(case: 12, explanation)
        case .explained(let outcome): try writer.write(case: 13, outcome)
        case .fileStatus(let status): try writer.write(case: 14, status)
        case .fileItems(let items): try writer.write(case: 15, items)
        case .itemAccess(let access): try writer.write(case: 16, access)
        case .moveStatus(let status): try writer.write(case: 17, status)
        case .movedDevice(let device): try writer.write(case: 18, device)
        case .movedRows(let rows): try writer.write(case: 19, rows)
        case .auditPage(let page): try writer.write(case: 20, page)
        case .rootKeyStatus(let status): try writer.write(case: 21, status)
        case .storeStatus(let status): try writer.write(case: 22, status)
        case .storeDowngrade(let outcome): try writer.write(case: 23, outcome)
        case .groupMove(let report): try writer.write(case: 24, report)
        case .deviceSummary(let summary): try writer.write(case: 25, summary)
        case .sentBackup(let report, let bytes): try writer.write(case: 27, report, bytes)
        case .merge(let report): try writer.write(case: 28, report)
        case .lookupMatches(let matches): try writer.write(case: 30, matches)
        case .lookupItems(let items): try writer.write(case: 31, items)
        case .lookupSecrets(let secrets): try writer.write(case: 32, secrets)
        case .lookupStored(let stored): try writer.write(case: 33, stored)
        case .fileDetails(let details): try writer.write(case: 34, details)
        case .history(let history): try writer.write(case: 35, history)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .done
        case 2: self = try .answer(reader.value())
        case 3: self = try .deviceStatus(reader.value())
        case 4: self = try .biometry(reader.value())
        case 5: self = try .context(reader.value())
        case 6: self = try .enclave(reader.value())
        case 7: self = try .enclaveKey(reader.value())
        case 8: self = try .secret(reader.value())
        case 9: self = try .integrity(reader.value())
        case 10: self = try .count(reader.value())
        case 12: self = try .explanation(reader.value())
        case 13: self = try .explained(reader.value())
        case 14: self = try .fileStatus(reader.value())
        case 15: self = try .fileItems(reader.value())
        case 16: self = try .itemAccess(reader.value())
        case 17: self = try .moveStatus(reader.value())
        case 18: self = try .movedDevice(reader.value())
        case 19: self = try .movedRows(reader.value())
        case 20: self = try .auditPage(reader.value())
        case 21: self = try .rootKeyStatus(reader.value())
        case 22: self = try .storeStatus(reader.value())
        case 23: self = try .storeDowngrade(reader.value())
        case 24: self = try .groupMove(reader.value())
        case 25: self = try .deviceSummary(reader.value())
        case 27: self = try .sentBackup(reader.value(), reader.value())
        case 28: self = try .merge(reader.value())
        case 29: self = try .backup(reader.value())
        case 30: self = try .lookupMatches(reader.value())
        case 31: self = try .lookupItems(reader.value())
        case 32: self = try .lookupSecrets(reader.value())
        case 33: self = try .lookupStored(reader.value())
        case 34: self = try .fileDetails(reader.value())
        case 35: self = try .history(reader.value())
        default: throw .unknownCase
        }
    }
}

extension RootKeyKind: WireRawValue {}

extension RootKeyStatus: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: kind, path, replacements, isUnsettled)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            kind: try reader.value(),
            path: try reader.value(),
            replacements: try reader.value(),
            isUnsettled: try reader.value()
        )
    }
}

extension AuditPage: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: isOn, lines, end, unreadable)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(isOn: reader.value(), lines: reader.value(), end: reader.value(), unreadable: reader.value())
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
        case 2: self = try .single(reader.value())
        case 3: self = try .list(reader.value())
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
        case 1: self = try .data(reader.value())
        case 2: self = try .reference(reader.value())
        case 3: self = try .dictionary(reader.value())
        default: throw .unknownCase
        }
    }
}

extension IntegrityReport: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        for count in [intactRows, lockedRows, destroyedRows] { try count.write(to: &writer) }
        try writer.write(values: damagedRows, structuralDefects, keysAreLocked)
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
        try writer.write(values: itemClass, persistentReference, damage, isQuarantined)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            itemClass: reader.value(),
            persistentReference: reader.value(),
            damage: reader.value(),
            isQuarantined: reader.value()
        )
    }
}
