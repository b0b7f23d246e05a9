// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension KeychainFileCommand: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .keychain(let path, let action): try writer.write(case: 1, path, action)
        case .lockAll: try writer.write(case: 2)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .keychain(path: reader.value(), reader.value())
        case 2: self = .lockAll
        default: throw .unknownCase
        }
    }
}

extension KeychainFileCommand.Action: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .create(let password): try writer.write(case: 1, password)
        case .delete: try writer.write(case: 2)
        case .lock: try writer.write(case: 3)
        case .unlock(let password): try writer.write(case: 4, password)
        case .status: try writer.write(case: 5)
        case .setSettings(let settings): try writer.write(case: 6, settings)
        case .changePassword(let old, let new): try writer.write(case: 7, old, new)
        case .items: try writer.write(case: 8)
        case .secret(let item): try writer.write(case: 9, item)
        case .access(let item): try writer.write(case: 10, item)
        case .add(let item, let secret, let access): try writer.write(case: 11, item, secret, access)
        case .update(let item, let changes): try writer.write(case: 12, item, changes)
        case .setPartitions(let partitions, let item, let password):
            try writer.write(case: 13, partitions, item, password)
        case .remove(let item): try writer.write(case: 14, item)
        case .find(let conditions): try writer.write(case: 15, conditions)
        case .details: try writer.write(case: 16)
        case .setLabel(let label): try writer.write(case: 17, label)
        case .lookup(let operation): try writer.write(case: 18, operation)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .create(password: reader.value())
        case 2: self = .delete
        case 3: self = .lock
        case 4: self = try .unlock(password: reader.value())
        case 5: self = .status
        case 6: self = try .setSettings(reader.value())
        case 7: self = try .changePassword(from: reader.value(), to: reader.value())
        case 8: self = .items
        case 9: self = try .secret(of: reader.value())
        case 10: self = try .access(of: reader.value())
        case 11: self = try .add(reader.value(), secret: reader.value(), reader.value())
        case 12: self = try .update(reader.value(), reader.value())
        case 13: self = try .setPartitions(reader.value(), of: reader.value(), password: reader.value())
        case 14: self = try .remove(reader.value())
        case 15: self = try .find(reader.value())
        case 16: self = .details
        case 17: self = try .setLabel(reader.value())
        case 18: self = try .lookup(reader.value())
        default: throw .unknownCase
        }
    }
}

extension FileItemConditions: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: itemClass, values) }

    init(from reader: inout WireReader) throws(WireError) { try self.init(reader.value(), reader.value()) }
}

extension KeychainFileSettings: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: locksOnSleep, lockInterval) }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(locksOnSleep: reader.value(), lockInterval: reader.value())
    }
}

extension KeychainFileStatus: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: isLocked, settings) }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(isLocked: reader.value(), settings: reader.value())
    }
}

extension KeychainFileDetails: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: isLocked, label, created, modified)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            isLocked: reader.value(),
            label: reader.value(),
            created: reader.value(),
            modified: reader.value()
        )
    }
}

extension KeychainFileItem: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: identifier, itemClass, attributes)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(identifier: reader.value(), itemClass: reader.value(), attributes: reader.value())
    }
}

extension KeychainFileItem.Changes: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: attributes, secret, access)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(attributes: reader.value(), secret: reader.value(), access: reader.value())
    }
}

extension ItemAccess: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try entries.write(to: &writer) }

    init(from reader: inout WireReader) throws(WireError) { try self.init(entries: reader.value()) }
}

extension AccessEntry: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: authorizations, applications, description)
        try writer.write(prompt)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(reader.value(), for: reader.value(), reader.value())
        prompt = try reader.number(UInt16.self)
    }
}

extension AccessAuthorization: WireRawValue {}

extension TrustedApplication: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try path.write(to: &writer) }

    init(from reader: inout WireReader) throws(WireError) { try self.init(path: reader.value()) }
}

extension KeychainItemReference: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: keychain, itemClass, identifier, dataProtectionReference)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            keychain: reader.value(),
            itemClass: reader.value(),
            identifier: reader.value(),
            dataProtectionReference: reader.value()
        )
    }
}
