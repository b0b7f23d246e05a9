// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A request of a program to a keychain daemon, and its status.
///
/// Contains no secret, and no attribute of an item except those that the owner selected in ``AuditSettings``.
package struct AuditRecord: Sendable, Hashable {
    /// When the reply was ready.
    package var time: AuditTime

    /// The program.
    package var caller: AuditCaller

    /// The name of Apple's function, or of the command of the device.
    package var operation: String

    /// The value of `kSecClass`; `unknown` if it is not a class, and `nil` if there is none.
    package var itemClass: String?

    /// The access groups that the request names; otherwise those that the program claims.
    package var accessGroups: [String]

    /// The status (`OSStatus`); 0 for success.
    package var status: Int32

    /// The attributes that the owner selected.
    package var attributes: [AuditAttribute: String]

    /// A record; long text is truncated.
    package init(
        time: AuditTime,
        caller: AuditCaller,
        operation: String,
        itemClass: String? = nil,
        accessGroups: [String] = [],
        status: Int32,
        attributes: [AuditAttribute: String] = [:]
    ) {
        self.time = time
        self.caller = caller
        self.operation = operation
        self.itemClass = itemClass.map { $0.shortened() }
        var groups = accessGroups.prefix(Self.maximumGroups).map { $0.shortened() }
        if accessGroups.count > Self.maximumGroups { groups.append("…") }
        self.accessGroups = groups
        self.status = status
        self.attributes = attributes.mapValues { $0.shortened() }
    }

    /// The maximum number of access groups; a last one, `…`, stands for more.
    package static let maximumGroups = 16

    /// The maximum number of bytes of a text that a program sent; `…` follows a truncated one.
    package static let maximumTextBytes = String.maximumShownNameBytes
}

/// The program that sent a request.
package struct AuditCaller: Sendable, Hashable {
    /// Its effective user when it connected.
    package var user: UInt32

    /// Its PID.
    package var process: Int32

    /// The path of its executable when it connected, as ``text(ofPath:)`` writes it; `nil` if that is not known.
    package var program: String?

    /// Its identity: ``anonymous``, or the kind of its proof and its name.
    package var identity: String

    /// The identity of a program that has no proof of one.
    package static let anonymous = "anonymous"

    /// A program.
    package init(user: UInt32, process: Int32, program: String?, identity: String) {
        self.user = user
        self.process = process
        self.program = program
        self.identity = identity
    }
}

extension AuditCaller {
    /// A path as a text that is unique to it.
    ///
    /// - Parameter path: the path, whose bytes may be anything but 0 (path_resolution(7)).
    /// - Returns: The path, in which each byte that is not UTF-8 is `\xHH`, and a backslash is `\\`.
    package static func text(ofPath path: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        func escape(_ byte: UInt8) {
            let digits = String(byte, radix: 16)
            text.append(contentsOf: "\\x\(digits.utf8.count < 2 ? "0" : "")\(digits)".unicodeScalars)
        }
        var bytes = path.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        var position = 0
        while true {
            switch parser.parseScalar(from: &bytes) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if scalar == "\\" { text.append(scalar) }
                text.append(scalar)
                position += encoded.count
            case .error(let length):
                for byte in path[position..<(position + length)] { escape(byte) }
                position += length
            case .emptyInput: return String(text)
            }
        }
    }

    /// The name that distinguishes programs sharing a log: the identity, or the executable's path for an anonymous one.
    package var shareName: String { identity == Self.anonymous ? program ?? "" : "\(identity)\n" }
}

/// An attribute that a log contains if the owner selects it; raw values are the options of the tools.
package enum AuditAttribute: String, Sendable, Hashable, CaseIterable {
    /// `kSecAttrAccount`
    case account
    /// `kSecAttrService`
    case service
    /// `kSecAttrServer`
    case server
    /// `kSecAttrLabel`
    case label

    /// The key of the attribute in a dictionary of the item functions.
    package var key: String {
        switch self {
        case .account: "acct"
        case .service: "svce"
        case .server: "srvr"
        case .label: "labl"
        }
    }

    /// The attributes of a comma-separated list; `nil` if a name is unknown.
    package static func list(_ names: String) -> [AuditAttribute]? {
        let attributes = names.split(separator: ",", omittingEmptySubsequences: false).map {
            AuditAttribute(rawValue: String($0))
        }
        guard !attributes.contains(nil) else { return nil }
        return attributes.compactMap(\.self)
    }
}

/// One entry of a log.
package enum AuditEntry: Sendable, Hashable {
    /// A request.
    case call(AuditRecord)
    /// The number of entries before this time that could not be written.
    case lost(Int, AuditTime)
}

extension AuditEntry {
    /// ``AuditCaller/shareName`` of its program; empty if it is of none.
    package var shareName: String {
        switch self {
        case .call(let record): record.caller.shareName
        case .lost: ""
        }
    }
}

/// An entry of a file.
package struct NumberedAuditEntry: Sendable, Hashable {
    /// A number that is higher than that of each entry before it; 0 in the files of earlier versions.
    package var number: Int

    /// The entry.
    package var entry: AuditEntry

    /// The highest number, which each reader of JSON can represent (RFC 8259, section 6).
    static let maximumNumber = 1 << 53
}
