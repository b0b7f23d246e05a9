// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A line of an attribute block: maps our attribute to one of a file keychain.
///
/// Long, because it is a table.
struct AttributeLine: Sendable {
    /// The attribute's name or number, as it is printed.
    let tag: ByteText

    let format: Format
    let attribute: AttributeName

    /// Whether 0 is printed if an item lacks the attribute.
    var isNeverAbsent = false

    /// Whether the value is the class of a key.
    var isClassCode = false

    /// The type of an attribute of a file keychain.
    enum Format: String {
        case blob
        case date = "timedate"
        case unsigned = "uint32"
        case signed = "sint32"
    }

    static func lines(of itemClass: ItemClass) -> [AttributeLine] {
        switch itemClass {
        case .genericPassword: genericPassword
        case .internetPassword: internetPassword
        case .certificate: certificate
        case .key: key
        case .identity: []
        }
    }

    private init(_ attribute: AttributeName, _ format: Format = .blob, as name: AttributeName? = nil) {
        tag = ValueFormat.quoted((name ?? attribute).code)
        self.format = format
        self.attribute = attribute
    }

    private init(_ number: UInt32, _ attribute: AttributeName, format: Format = .blob) {
        tag = ValueFormat.quoted(number)
        self.format = format
        self.attribute = attribute
    }

    private static func neverAbsent(_ attribute: AttributeName) -> AttributeLine {
        var line = AttributeLine(attribute, .unsigned)
        line.isNeverAbsent = true
        return line
    }

    private static let label = AttributeLine(7, "labl")
    private static let alias = AttributeLine(8, "alis")

    private static let genericPassword = [
        label, alias,
        AttributeLine("acct"), AttributeLine("cdat", .date), AttributeLine("crtr", .unsigned),
        AttributeLine("cusi", .signed), AttributeLine("desc"), AttributeLine("gena"), AttributeLine("icmt"),
        AttributeLine("invi", .signed), AttributeLine("mdat", .date), AttributeLine("nega", .signed),
        AttributeLine("prot"), AttributeLine("scrp", .signed), AttributeLine("svce"), AttributeLine("type", .unsigned),
    ]

    private static let internetPassword = [
        label, alias,
        AttributeLine("acct"), AttributeLine("atyp"), AttributeLine("cdat", .date), AttributeLine("crtr", .unsigned),
        AttributeLine("cusi", .signed), AttributeLine("desc"), AttributeLine("icmt"), AttributeLine("invi", .signed),
        AttributeLine("mdat", .date), AttributeLine("nega", .signed), AttributeLine("path"), neverAbsent("port"),
        AttributeLine("prot"), neverAbsent("ptcl"), AttributeLine("scrp", .signed), AttributeLine("sdmn"),
        AttributeLine("srvr"), AttributeLine("type", .unsigned),
    ]

    private static let certificate = [
        AttributeLine("alis"), AttributeLine("cenc", .unsigned), AttributeLine("ctyp", .unsigned),
        AttributeLine("pkhh", as: "hpky"), AttributeLine("issr", as: "issu"), AttributeLine("labl"),
        AttributeLine("skid"), AttributeLine("slnr", as: "snbr"), AttributeLine("subj"),
    ]

    private static let key: [AttributeLine] = {
        var classCode = AttributeLine(0x00, "kcls", format: .unsigned)
        classCode.isClassCode = true
        return [
            classCode, AttributeLine(0x01, "labl"), AttributeLine(0x02, "alis"),
            AttributeLine(0x03, "perm", format: .unsigned), AttributeLine(0x04, "priv", format: .unsigned),
            AttributeLine(0x05, "modi", format: .unsigned), AttributeLine(0x06, "klbl"), AttributeLine(0x07, "atag"),
            AttributeLine(0x08, "crtr"), AttributeLine(0x09, "type", format: .unsigned),
            AttributeLine(0x0A, "bsiz", format: .unsigned), AttributeLine(0x0B, "esiz", format: .unsigned),
            AttributeLine(0x0C, "sdat"), AttributeLine(0x0D, "edat"), AttributeLine(0x0E, "sens", format: .unsigned),
            AttributeLine(0x0F, "asen", format: .unsigned), AttributeLine(0x10, "extr", format: .unsigned),
            AttributeLine(0x11, "next", format: .unsigned), AttributeLine(0x12, "encr", format: .unsigned),
            AttributeLine(0x13, "decr", format: .unsigned), AttributeLine(0x14, "drve", format: .unsigned),
            AttributeLine(0x15, "sign", format: .unsigned), AttributeLine(0x16, "vrfy", format: .unsigned),
            AttributeLine(0x17, "snrc", format: .unsigned), AttributeLine(0x18, "vyrc", format: .unsigned),
            AttributeLine(0x19, "wrap", format: .unsigned), AttributeLine(0x1A, "unwp", format: .unsigned),
        ]
    }()
}
