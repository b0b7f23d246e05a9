// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension ChangeNotice: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .unknown: try writer.write(UInt8(1))
        case .changed(let items): try writer.write(case: 2, items)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .unknown
        case 2: self = .changed(try reader.value())
        default: throw .unknownCase
        }
    }
}

extension ChangedItems: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: itemClass, accessGroup) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(try reader.value(), in: try reader.value())
    }
}
