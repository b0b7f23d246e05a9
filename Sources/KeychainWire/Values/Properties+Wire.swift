// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension PropertyDictionary: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try entries.dictionary.write(to: &writer)
        try foreignKeys.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(try reader.value([String: PropertyValue].self), foreignKeys: try reader.value())
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
        case 1: self = .number(try reader.value())
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
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .null
        case 2: self = .boolean(try reader.value())
        case 3: self = .number(try reader.value())
        case 4: self = .string(try reader.value())
        case 5: self = .data(try reader.value())
        case 6: self = .date(try reader.value())
        case 7: self = .uuid(try reader.value())
        case 8: self = .array(try reader.nested { (reader) throws(WireError) in try reader.value() })
        case 9: self = .accessControl(try reader.value())
        case 10: self = .authenticationContext(try reader.value())
        case 11: self = .reference(try reader.nested { (reader) throws(WireError) in try reader.value() })
        case 12: self = .policy(try reader.value())
        case 13: self = .nested(try reader.value())
        case 14: self = .oversizedData(try reader.value())
        case 15: self = .object(try reader.value())
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
        case 1: self = .integer(try reader.value())
        case 2: self = .unsigned(try reader.value())
        // The one number that may be none: a program can put it into a dictionary.
        case 3: self = .real(Double(bitPattern: try reader.value()))
        default: throw .unknownCase
        }
    }
}

extension Timestamp: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try secondsSinceReferenceDate.write(to: &writer) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(secondsSinceReferenceDate: try reader.value())
    }
}

// MARK: - References

extension ItemReference: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .key(let key): try writer.write(case: 1, key)
        case .certificate(let certificate): try writer.write(case: 2, certificate)
        case .identity(let identity): try writer.write(case: 3, identity)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .key(try reader.value())
        case 2: self = .certificate(try reader.value())
        case 3: self = .identity(try reader.value())
        default: throw .unknownCase
        }
    }
}

extension KeyReference: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try attributes.write(to: &writer)
        try data.write(to: &writer)
        try context.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(attributes: try reader.value(), data: try reader.value())
        context = try reader.value()
    }
}

extension CertificateReference: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try attributes.write(to: &writer)
        try data.write(to: &writer)
        try subjectSummary.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            attributes: try reader.value(),
            data: try reader.value(),
            subjectSummary: try reader.value()
        )
    }
}

extension IdentityReference: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try certificate.write(to: &writer)
        try key.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(certificate: try reader.value(), key: try reader.value())
    }
}

extension CertificatePolicy: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .basicX509: try writer.write(case: 1)
        case .tls(let isServer, let host): try writer.write(case: 2, isServer, host)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .basicX509
        case 2: self = .tls(isServer: try reader.value(), host: try reader.value())
        default: throw .unknownCase
        }
    }
}

extension ItemClass: WireRawValue {}
