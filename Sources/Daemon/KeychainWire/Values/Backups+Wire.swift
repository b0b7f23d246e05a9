// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension BackupRequest: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: destination, secret, files)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(to: reader.value(), secret: reader.value(), files: reader.value())
    }
}

extension BackupRequest.Destination: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .path(let path): try writer.write(case: 1, path)
        case .reply: try writer.write(case: 2)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .path(reader.value())
        case 2: self = .reply
        default: throw .unknownCase
        }
    }
}

extension BackupRequest.Secret: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .given(let secret): try writer.write(case: 1, secret)
        case .ofSchedule: try writer.write(case: 2)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .given(reader.value())
        case 2: self = .ofSchedule
        default: throw .unknownCase
        }
    }
}

extension BackedUpFile: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: name, Int(mode), contents)
    }

    init(from reader: inout WireReader) throws(WireError) {
        let name = try reader.value(String.self)
        guard let mode = UInt16(exactly: try reader.value(Int.self)), mode & ~0o777 == 0 else { throw .invalidValue }
        self.init(name: name, mode: mode, contents: try reader.value())
    }
}

extension RestoreRequest: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: source, secret, merge) }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(from: reader.value(), secret: reader.value(), merge: reader.value())
    }
}

extension RestoreRequest.Source: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .path(let path): try writer.write(case: 1, path)
        case .contents(let bytes): try writer.write(case: 2, bytes)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .path(reader.value())
        case 2: self = try .contents(reader.value())
        default: throw .unknownCase
        }
    }
}

extension BackupMerge: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: conflicts, isTrial, items) }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(reader.value(), isTrial: reader.value(), items: reader.value())
    }
}

extension BackupMerge.Conflicts: WireRawValue {}

extension BackupReport: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: items, files, leftOut, damaged)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(items: reader.value(), files: reader.value(), leftOut: reader.value(), damaged: reader.value())
    }
}

extension BackupMergeReport: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: isApplied, added, equal, differing, refused)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init()
        isApplied = try reader.value()
        added = try reader.value()
        equal = try reader.value()
        differing = try reader.value()
        refused = try reader.value()
    }
}

extension BackupMergeReport.Names: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: count, first) }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(count: reader.value(), first: reader.value())
    }
}

extension BackedUpItem: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: itemClass, identifier, service, account, accessGroup)
        try writer.write(values: accessibility, created, modified)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            itemClass: reader.value(),
            identifier: reader.value(),
            service: reader.value(),
            account: reader.value(),
            accessGroup: reader.value(),
            accessibility: reader.value(),
            created: reader.value(),
            modified: reader.value()
        )
    }
}
