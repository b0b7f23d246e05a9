// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension AuditEntry {
    /// The entry as a JSON object on one line, without the newline (RFC 8259, JSON Lines).
    ///
    /// Control characters are escaped, so that no name of a program or a group ends a line or controls a terminal.
    package var line: String { JSONValue.object(members) }

    /// Parses a line; `nil` if it is not an entry, such as an incomplete line after a crash of the host.
    package init?(line: some Sequence<UInt8>) {
        guard let object = try? JSONParser.parse(line) else { return nil }
        self.init(object)
    }

    fileprivate var members: [(String, JSONValue)] {
        switch self {
        case .call(let record): record.members
        case .lost(let count, let time): [("time", .string(time.description)), ("lost", .integer(count))]
        }
    }

    fileprivate init?(_ object: JSONValue) {
        guard let time = object["time"].string.flatMap({ AuditTime($0) }) else { return nil }
        if let count = object["lost"].integer {
            guard count > 0 else { return nil }
            self = .lost(count, time)
            return
        }
        guard let record = AuditRecord(object, time) else { return nil }
        self = .call(record)
    }
}

extension NumberedAuditEntry {
    /// The entry with its number as a line of a file, without the newline.
    var line: String { JSONValue.object([("number", .integer(number))] + entry.members) }

    /// Parses a line of a file; `nil` if it is not an entry.
    init?(line: some Sequence<UInt8>) {
        guard let object = try? JSONParser.parse(line), let entry = AuditEntry(object) else { return nil }
        let number = object["number"] == .null ? 0 : object["number"].integer
        guard let number, (0...Self.maximumNumber).contains(number) else { return nil }
        self.init(number: number, entry: entry)
    }
}

extension AuditRecord {
    fileprivate var members: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("time", .string(time.description)), ("uid", .integer(Int(caller.user))),
            ("pid", .integer(Int(caller.process))), ("program", caller.program.map { .string($0) } ?? .null),
            ("identity", .string(caller.identity)), ("operation", .string(operation)),
        ]
        if let itemClass { members.append(("class", .string(itemClass))) }
        if !accessGroups.isEmpty { members.append(("groups", .strings(accessGroups))) }
        members.append(("status", .integer(Int(status))))
        if !attributes.isEmpty {
            let values = attributes.map { ($0.key.rawValue, JSONValue.string($0.value)) }
            members.append(("attributes", .object(Dictionary(uniqueKeysWithValues: values))))
        }
        return members
    }

    fileprivate init?(_ object: JSONValue, _ time: AuditTime) {
        guard let user = object["uid"].integer.flatMap({ UInt32(exactly: $0) }),
            let process = object["pid"].integer.flatMap({ Int32(exactly: $0) }),
            let identity = object["identity"].string, let operation = object["operation"].string,
            let status = object["status"].integer.flatMap({ Int32(exactly: $0) })
        else { return nil }
        var attributes: [AuditAttribute: String] = [:]
        for (name, value) in object["attributes"].members ?? [:] {
            guard let attribute = AuditAttribute(rawValue: name), let text = value.string else { return nil }
            attributes[attribute] = text
        }
        let groups = (object["groups"].elements ?? []).map(\.string)
        guard !groups.contains(nil) else { return nil }
        let caller = AuditCaller(user: user, process: process, program: object["program"].string, identity: identity)
        self.init(
            time: time,
            caller: caller,
            operation: operation,
            itemClass: object["class"].string,
            status: status
        )
        // Unchanged: text that was truncated when it was written is not truncated again.
        self.accessGroups = groups.compactMap(\.self)
        self.attributes = attributes
        self.itemClass = object["class"].string
    }
}
