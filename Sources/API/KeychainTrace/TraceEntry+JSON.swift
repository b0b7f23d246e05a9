// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import KeychainCore

/// Why a line, or a whole trace, cannot be read.
package enum TraceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line has another version of the format; its version, if stated.
    case version(Int?)
    /// The line is not a trace entry, with the reason, but not its contents.
    case malformed(String)
    /// The last line has no end.
    case truncated
    /// The file cannot be used: why.
    case unusable(path: String, String)

    /// One sentence.
    package var description: String {
        switch self {
        case .version(let version?): "a trace of version \(version); this program reads version \(TraceEntry.version)"
        case .version(nil): "a line without a version; is it a trace?"
        case .malformed(let why): "not a line of a trace: \(why)"
        case .truncated: "the last line is cut short"
        case .unusable(let path, let why): "\(path): \(why)"
        }
    }
}

// MARK: - To JSON

extension TraceEntry {
    /// The line, without its end.
    func line(_ encoder: TraceEncoder) -> String {
        var members: [(String, JSONValue)] = [
            ("v", .integer(Self.version)), ("time", .string(CaseNotation.text(of: time))),
            ("pid", .integer(Int(process))), ("program", .string(program)),
        ]
        switch content {
        case .call(let call): members += call.members(encoder)
        case .event(let event): members += event.members
        }
        return JSONValue.object(members)
    }

    /// The line, without its end; values are shown, and secrets are not in it.
    package var line: String { line(TraceEncoder()) }
}

extension TracedCall {
    fileprivate func members(_ encoder: TraceEncoder) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [("op", .string(operation.caseName))]
        let parts = operation.dictionaries
        for (name, dictionary) in parts { members.append((name, encoder.json(dictionary))) }
        let foreign = parts.compactMap { encoder.nonStringKeys($0.1) }
        if let keys = foreign.first { members.append(("nonStringKeys", keys)) }
        members.append(("client", .object(client.members(name: clientName))))
        if let lockState { members.append(("lockState", .string(lockState.rawValue))) }
        members.append(("status", status.json))
        if let reason { members.append(("reason", .string(reason))) }
        members.append(("ms", .real((milliseconds * 1_000).rounded() / 1_000)))
        if !stack.isEmpty { members.append(("stack", .array(stack.map { .string($0) }))) }
        return members
    }
}

extension KeychainRequest.Operation {
    /// The name of the operation in cases and traces.
    package var caseName: String {
        switch self {
        case .add: "add"
        case .copyMatching: "copy"
        case .update: "update"
        case .delete: "delete"
        case .set: "set"
        }
    }

    /// The dictionaries, by their names in a trace.
    fileprivate var dictionaries: [(String, PropertyDictionary)] {
        switch self {
        case .add(let dictionary), .copyMatching(let dictionary), .delete(let dictionary): [("args", dictionary)]
        case .update(let query, let attributes): [("args", query), ("update", attributes)]
        case .set(let query, let attributes, let addition):
            [("args", query), ("update", attributes), ("addition", addition)]
        }
    }
}

extension Client {
    fileprivate func members(name: String?) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "groups": .array(accessGroups.map { .string($0) }),
            "profile": .string(profile == .macOS ? Self.macOSName : Self.iOSName),
        ]
        if let name { members["name"] = .string(name) }
        if let appClipIdentifier { members["appClip"] = .string(appClipIdentifier) }
        if isNetworkExtension { members["networkExtension"] = .boolean(true) }
        return members
    }

    fileprivate static let macOSName = "dp-macos"
    fileprivate static let iOSName = "dp-ios"
}

extension Status {
    fileprivate var json: JSONValue {
        StatusTable.row(code: rawValue).map { .string($0.name) } ?? .integer(Int(rawValue))
    }
}

extension TracedEvent {
    fileprivate var members: [(String, JSONValue)] {
        switch self {
        case .lock, .unlock, .reboot, .setPasscode, .removePasscode, .restore: return [("op", .string(name))]
        case .setBiometry(let kind, let set):
            return [("op", .string(name)), ("biometry", .object(["kind": .string(kind), "set": .integer(set)]))]
        case .setGroups(let client, let groups):
            var members: [String: JSONValue] = ["groups": .array(groups.map { .string($0) })]
            members["name"] = client.map { .string($0) }
            return [("op", .string(name)), ("client", .object(members))]
        case .reinstall(let client):
            return [("op", .string(name)), ("client", .object(client.map { ["name": .string($0)] } ?? [:]))]
        }
    }

    /// The name of the step.
    package var name: String {
        switch self {
        case .lock: "lock"
        case .unlock: "unlock"
        case .reboot: "reboot"
        case .setPasscode: "setPasscode"
        case .removePasscode: "removePasscode"
        case .setBiometry: "setBiometry"
        case .restore: "restore"
        case .setGroups: "setGroups"
        case .reinstall: "reinstall"
        }
    }
}

// MARK: - From JSON

extension TraceEntry {
    /// Reads one line.
    ///
    /// - Throws: ``TraceError``.
    package init(line: some Collection<UInt8>) throws(TraceError) {
        let json: JSONValue
        do { json = try JSONParser.parse(line) } catch { throw .malformed("it is not JSON: \(error)") }
        guard let members = json.members else { throw .malformed("it is no object") }
        guard members["v"]?.integer == Self.version else { throw .version(members["v"]?.integer) }
        guard let time = members["time"]?.string.flatMap({ CaseNotation.date(from: $0) }) else {
            throw .malformed("the time is missing")
        }
        guard let operation = members["op"]?.string else { throw .malformed("the operation is missing") }
        let content: Content
        if let event = try TracedEvent(operation, members) {
            content = .event(event)
        } else {
            content = .call(try TracedCall(operation, members))
        }
        self.init(
            time: Timestamp(secondsSinceReferenceDate: time.timeIntervalSinceReferenceDate),
            process: members["pid"]?.integer.flatMap { Int32(exactly: $0) } ?? 0,
            program: members["program"]?.string ?? "",
            content
        )
    }
}

extension TracedCall {
    fileprivate init(_ name: String, _ members: [String: JSONValue]) throws(TraceError) {
        var decoder = TraceDecoder()
        guard let args = members["args"] else { throw .malformed("the dictionary is missing") }
        let query = try decoder.dictionary(args, members["nonStringKeys"])
        var attributeDecoder = TraceDecoder()
        let update = try attributeDecoder.dictionary(members["update"] ?? .object([:]))
        let operation: KeychainRequest.Operation
        switch name {
        case "add": operation = .add(query)
        case "copy": operation = .copyMatching(query)
        case "update": operation = .update(query, attributes: update)
        case "delete": operation = .delete(query)
        case "set":
            let addition = try attributeDecoder.dictionary(members["addition"] ?? .object([:]))
            operation = .set(query, attributes: update, addition: addition)
        default: throw .malformed("an unknown operation")
        }
        guard let status = members["status"].flatMap(Status.init(json:)) else {
            throw .malformed("the status is missing")
        }
        self.init(
            operation,
            client: try Client(members["client"]),
            clientName: members["client"]?.members?["name"]?.string,
            lockState: members["lockState"]?.string.flatMap(LockState.init(rawValue:)),
            status: status,
            reason: members["reason"]?.string,
            milliseconds: members["ms"]?.number ?? 0,
            stack: members["stack"]?.elements?.compactMap(\.string) ?? [],
            hiddenKeys: decoder.hiddenKeys
        )
        hiddenAttributeKeys = attributeDecoder.hiddenKeys
    }
}

extension Client {
    fileprivate init(_ json: JSONValue?) throws(TraceError) {
        guard let members = json?.members, let groups = members["groups"]?.elements?.compactMap(\.string) else {
            throw .malformed("the client has no groups")
        }
        self.init(
            accessGroups: groups,
            profile: members["profile"]?.string == Self.macOSName ? .macOS : .iOS,
            appClipIdentifier: members["appClip"]?.string,
            isNetworkExtension: members["networkExtension"]?.boolean ?? false
        )
    }
}

extension Status {
    fileprivate init?(json: JSONValue) {
        switch json {
        case .integer(let code):
            guard let code = Int32(exactly: code) else { return nil }
            self.init(rawValue: code)
        case .string(let name):
            guard let row = StatusTable.row(named: name) else { return nil }
            self.init(rawValue: row.code)
        default: return nil
        }
    }
}

extension TracedEvent {
    fileprivate init?(_ name: String, _ members: [String: JSONValue]) throws(TraceError) {
        let client = members["client"]?.members
        switch name {
        case "lock": self = .lock
        case "unlock": self = .unlock
        case "reboot": self = .reboot
        case "setPasscode": self = .setPasscode
        case "removePasscode": self = .removePasscode
        case "restore": self = .restore
        case "reinstall": self = .reinstall(client: client?["name"]?.string)
        case "setGroups":
            guard let groups = client?["groups"]?.elements?.compactMap(\.string) else {
                throw .malformed("the groups are missing")
            }
            self = .setGroups(client: client?["name"]?.string, groups)
        case "setBiometry":
            guard let biometry = members["biometry"]?.members, let kind = biometry["kind"]?.string else {
                throw .malformed("the biometry is missing")
            }
            self = .setBiometry(kind: kind, set: biometry["set"]?.integer ?? 0)
        default: return nil
        }
    }
}
