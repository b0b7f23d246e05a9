// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension StoreMove: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .status: try writer.write(case: 1)
        case .receive(let device): try writer.write(case: 2, device)
        case .append(let rows): try writer.write(case: 3, rows)
        case .activate: try writer.write(case: 4)
        case .send: try writer.write(case: 5)
        case .rows(let place): try writer.write(case: 6, place)
        case .resume: try writer.write(case: 7)
        case .remove(let receipt): try writer.write(case: 8, receipt)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .status
        case 2: self = try .receive(reader.value())
        case 3: self = try .append(reader.value())
        case 4: self = .activate
        case 5: self = .send
        case 6: self = try .rows(after: reader.value())
        case 7: self = .resume
        case 8: self = try .remove(receipt: reader.value())
        default: throw .unknownCase
        }
    }
}

extension MovedDevice: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: rootKey, keybag, record, rowCounts, digest)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            rootKey: reader.value(),
            keybag: reader.value(),
            record: reader.value(),
            rowCounts: reader.value(),
            digest: reader.value()
        )
    }
}

extension DeviceRecord: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: keybagRevision, failedAttempts, interruptedAttempts, lastAttempt)
        try writer.write(values: autoLockAfterSeconds, eraseAfterFailedAttempts, owesLogErasure)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init()
        keybagRevision = try reader.value()
        failedAttempts = try reader.value()
        interruptedAttempts = try reader.value()
        lastAttempt = try reader.value()
        autoLockAfterSeconds = try reader.value()
        eraseAfterFailedAttempts = try reader.value()
        owesLogErasure = try reader.value()
    }
}

extension HostTime: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: bootIdentifier, secondsSinceBoot, date)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(bootIdentifier: reader.value(), secondsSinceBoot: reader.value(), date: reader.value())
    }
}

extension MovedRow: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: number, damage, row) }

    init(from reader: inout WireReader) throws(WireError) {
        let (number, damage) = (try reader.value(Int64.self), try reader.value(Int?.self))
        self.init(number: number, row: try reader.value(), damage: damage)
    }
}

extension MovedRow.Place: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: itemClass, number) }

    init(from reader: inout WireReader) throws(WireError) { try self.init(reader.value(), reader.value()) }
}

extension StoredRow: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: itemClass, identifier, protection, isTombstone)
        try writer.write(keyGeneration)
        try writer.write(values: version, primaryKeyTag, tags, metadata, secret)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            itemClass: reader.value(),
            identifier: reader.value(),
            protection: reader.value(),
            isTombstone: reader.value(),
            keyGeneration: reader.number(),
            version: reader.value(),
            primaryKeyTag: reader.value(),
            tags: reader.value(),
            metadata: reader.value(),
            secret: reader.value()
        )
    }
}

extension AttributeTag: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: name, tag) }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(name: reader.value(), tag: reader.value())
    }
}

extension MoveStatus: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: owner, storeIdentifier, hasRows, hasPasscode)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init()
        owner = try reader.value()
        storeIdentifier = try reader.value()
        hasRows = try reader.value()
        hasPasscode = try reader.value()
    }
}
