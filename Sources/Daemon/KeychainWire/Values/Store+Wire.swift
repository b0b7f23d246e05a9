// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension FileVersion: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: recorded) }

    init(from reader: inout WireReader) throws(WireError) {
        let recorded = try reader.value(Int64.self)
        guard (0...Int64(UInt32.max)).contains(recorded) else { throw .invalidValue }
        self.init(recorded: recorded)
    }
}

extension StoreStatus: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: file, Int32(program), features)
    }

    init(from reader: inout WireReader) throws(WireError) {
        let file = try reader.value(FileVersion?.self)
        guard let program = UInt16(exactly: try reader.value(Int32.self)) else { throw .invalidValue }
        self.init(file: file, program: program, features: try reader.value())
    }
}

extension UsedFeature: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: name, title, version, removal)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(name: reader.value(), title: reader.value(), version: reader.value(), removal: reader.value())
    }
}

extension UsedFeature.Removal: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .automatic: try writer.write(case: 1)
        case .command(let command): try writer.write(case: 2, command)
        case .unknown: try writer.write(case: 3)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .automatic
        case 2: self = try .command(reader.value())
        case 3: self = .unknown
        default: throw .unknownCase
        }
    }
}

extension StoreDowngrade: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: former, version, removed, obstacles)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            former: reader.value(),
            version: reader.value(),
            removed: reader.value(),
            obstacles: reader.value()
        )
    }
}

extension GroupMove: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: source, target, isRehearsal, isPartial, client)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            from: reader.value(),
            to: reader.value(),
            isRehearsal: reader.value(),
            isPartial: reader.value(),
            client: reader.value()
        )
    }
}

extension GroupMoveReport: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: moved, obstacles, isDone)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(moved: reader.value(), obstacles: reader.value(), isDone: reader.value())
    }
}

extension GroupMoveReport.Item: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: itemClass, persistentReference, name)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(itemClass: reader.value(), persistentReference: reader.value(), name: reader.value())
    }
}

extension GroupMoveReport.Obstacle: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: item, reason) }

    init(from reader: inout WireReader) throws(WireError) { try self.init(reader.value(), reader.value()) }
}

extension GroupMoveReport.Reason: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .exists: try writer.write(case: 1)
        case .neverReadable: try writer.write(case: 2)
        case .damaged: try writer.write(case: 3)
        case .unauthenticated(let failure): try writer.write(case: 4, failure)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .exists
        case 2: self = .neverReadable
        case 3: self = .damaged
        case 4: self = try .unauthenticated(reader.value())
        default: throw .unknownCase
        }
    }
}
