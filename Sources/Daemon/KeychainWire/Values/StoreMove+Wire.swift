// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension StoreMove: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .status: try writer.write(case: 1)
        case .begin(let identifier): try writer.write(case: 2, identifier)
        case .step(let step, let identifier): try writer.write(case: 3, identifier, step)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .status
        case 2: self = try .begin(reader.value())
        case 3:
            let identifier = try reader.value(Bytes16.self)
            self = try .step(reader.value(), of: identifier)
        default: throw .unknownCase
        }
    }
}

extension StoreMove.Step: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .receive(let device): try writer.write(case: 1, device)
        case .append(let rows): try writer.write(case: 2, rows)
        case .activate: try writer.write(case: 3)
        case .send: try writer.write(case: 4)
        case .rows(let place): try writer.write(case: 5, place)
        case .resume: try writer.write(case: 6)
        case .compare(let copy): try writer.write(case: 7, copy)
        case .remove(let copy): try writer.write(case: 8, copy)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .receive(reader.value())
        case 2: self = try .append(reader.value())
        case 3: self = .activate
        case 4: self = .send
        case 5: self = try .rows(after: reader.value())
        case 6: self = .resume
        case 7: self = try .compare(reader.value())
        case 8: self = try .remove(reader.value())
        default: throw .unknownCase
        }
    }
}

extension MovedCopy: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: receipt, digest) }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(receipt: reader.value(), digest: reader.value())
    }
}

extension MovedDevice: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: rootKey, keybag, record, rows)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            rootKey: reader.value(),
            keybag: reader.value(),
            record: reader.value(),
            rows: reader.value()
        )
    }
}

extension MovedRows: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: counts, byteCount, digest, damagedCount)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            counts: reader.value(),
            byteCount: reader.value(),
            digest: reader.value(),
            damagedCount: reader.value()
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
        try writer.write(values: version, primaryKeyTag, tags, former, metadata, secret)
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
            former: reader.value(),
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
        try writer.write(values: owner, storeIdentifier, itemCounts, hasItems, hasRows, hasPasscode)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init()
        owner = try reader.value()
        storeIdentifier = try reader.value()
        itemCounts = try reader.value()
        hasItems = try reader.value()
        hasRows = try reader.value()
        hasPasscode = try reader.value()
    }
}
