// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension PropertyDictionary: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: entries.dictionary, foreignKeys)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(reader.value([String: PropertyValue].self), foreignKeys: reader.value())
    }
}

extension PropertyDictionary.ForeignKey: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .number(let number): try writer.write(case: 1, number)
        case .other: try writer.write(case: 2)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .number(reader.value())
        case 2: self = .other
        default: throw .unknownCase
        }
    }
}

extension PropertyValue: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .null: try writer.write(case: 1)
        case .boolean(let flag): try writer.write(case: 2, flag)
        case .number(let number): try writer.write(case: 3, number)
        case .string(let text): try writer.write(case: 4, text)
        case .data(let bytes): try writer.write(case: 5, bytes)
        case .date(let date): try writer.write(case: 6, date)
        case .uuid(let text): try writer.write(case: 7, text)
        case .array(let members):
            try writer.nested { (writer) throws(WireError) in try writer.write(case: 8, members) }
        case .accessControl(let accessControl): try writer.write(case: 9, accessControl)
        case .authenticationContext(let context): try writer.write(case: 10, context)
        case .reference(let reference):
            try writer.nested { (writer) throws(WireError) in try writer.write(case: 11, reference) }
        case .policy(let policy): try writer.write(case: 12, policy)
        case .nested(let encodability): try writer.write(case: 13, encodability)
        case .oversizedData(let count): try writer.write(case: 14, count)
        case .object(let name): try writer.write(case: 15, name)
        case .keychain(let path): try writer.write(case: 16, path)
        case .access(let access): try writer.write(case: 17, access)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .null
        case 2: self = try .boolean(reader.value())
        case 3: self = try .number(reader.value())
        case 4: self = try .string(reader.value())
        case 5: self = try .data(reader.value())
        case 6: self = try .date(reader.value())
        case 7: self = try .uuid(reader.value())
        case 8: self = try .array(reader.nested { (reader) throws(WireError) in try reader.value() })
        case 9: self = try .accessControl(reader.value())
        case 10: self = try .authenticationContext(reader.value())
        case 11: self = try .reference(reader.nested { (reader) throws(WireError) in try reader.value() })
        case 12: self = try .policy(reader.value())
        case 13: self = try .nested(reader.value())
        case 14: self = try .oversizedData(reader.value())
        case 15: self = try .object(reader.value())
        case 16: self = try .keychain(reader.value())
        case 17: self = try .access(reader.value())
        default: throw .unknownCase
        }
    }
}

extension PropertyValue.Encodability: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .encodable: try writer.write(case: 1)
        case .fractional: try writer.write(case: 2)
        case .unencodable: try writer.write(case: 3)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .encodable
        case 2: self = .fractional
        case 3: self = .unencodable
        default: throw .unknownCase
        }
    }
}

extension KeychainNumber: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .integer(let value): try writer.write(case: 1, value)
        case .unsigned(let value): try writer.write(case: 2, value)
        case .real(let value): try writer.write(case: 3, value.bitPattern)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .integer(reader.value())
        case 2: self = try .unsigned(reader.value())
        // The one number that may be none: a program can put it into a dictionary.
        case 3: self = try .real(Double(bitPattern: reader.value()))
        default: throw .unknownCase
        }
    }
}

extension Timestamp: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try secondsSinceReferenceDate.write(to: &writer) }

    init(from reader: inout WireReader) throws(WireError) { try self.init(secondsSinceReferenceDate: reader.value()) }
}

// MARK: - References

extension ItemReference: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .key(let key): try writer.write(case: 1, key)
        case .certificate(let certificate): try writer.write(case: 2, certificate)
        case .identity(let identity): try writer.write(case: 3, identity)
        case .keychainItem(let item): try writer.write(case: 4, item)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .key(reader.value())
        case 2: self = try .certificate(reader.value())
        case 3: self = try .identity(reader.value())
        case 4: self = try .keychainItem(reader.value())
        default: throw .unknownCase
        }
    }
}

extension KeyReference: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: attributes, data, context) }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(attributes: reader.value(), data: reader.value())
        context = try reader.value()
    }
}

extension CertificateReference: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: attributes, data, subjectSummary)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(attributes: reader.value(), data: reader.value(), subjectSummary: reader.value())
    }
}

extension IdentityReference: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: certificate, key) }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(certificate: reader.value(), key: reader.value())
    }
}

extension CertificatePolicy: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .basicX509: try writer.write(case: 1)
        case .tls(let isServer, let host): try writer.write(case: 2, isServer, host)
        case .purpose(let purpose, let isServer, let name): try writer.write(case: 3, purpose.rawValue, isServer, name)
        case .revocation(let flags): try writer.write(case: 4, flags)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .basicX509
        case 2: self = try .tls(isServer: reader.value(), host: reader.value())
        case 3:
            guard let purpose = Purpose(rawValue: try reader.value()) else { throw .unknownCase }
            self = try .purpose(purpose, isServer: reader.value(), name: reader.value())
        case 4: self = try .revocation(reader.value())
        default: throw .unknownCase
        }
    }
}

extension ItemClass: WireRawValue {}
