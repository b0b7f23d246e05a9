// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Security

/// What a step does.
enum StepOperation {
    case add([String: ValueTemplate])
    case copy([String: ValueTemplate])
    case update([String: ValueTemplate], attributes: [String: ValueTemplate])
    case delete([String: ValueTemplate])
    /// The groups of the client that makes the calls from now on; without a name that of the beginning.
    case setGroups([String], client: String?)
    /// The store goes to a new device by a backup.
    case restore
    /// The program is removed and installed again.
    case reinstall
    case createAccessControl(AccessControlTemplate)
    case constant(String)
    case errorMessage(OSStatus)
    case device(DeviceStep)
    case context(ContextStep)
    case key(KeyStep)
}

// MARK: - From JSON

extension StepOperation {
    /// Reads the operation of a step from its members `op`, `args` and `update`.
    init(_ name: String, _ step: [String: JSONValue]) throws(CaseDefect) {
        let arguments = step["args"] ?? .object([:])
        if step["update"] != nil, name != "update" { throw CaseDefect("\"update\" does not belong to \"\(name)\"") }
        switch name {
        case "add": self = .add(try ValueTemplate.members(arguments, of: "args"))
        case "copy": self = .copy(try ValueTemplate.members(arguments, of: "args"))
        case "delete": self = .delete(try ValueTemplate.members(arguments, of: "args"))
        case "update":
            let attributes = try ValueTemplate.members(step.required("update", of: "an update"), of: "update")
            self = .update(try ValueTemplate.members(arguments, of: "args"), attributes: attributes)
        case "setGroups":
            let client = try arguments.object("args")["client"]?.string("\"client\"")
            self = .setGroups(try Self.groups(arguments), client: client)
        case "restore": self = .restore
        case "reinstall": self = .reinstall
        case "createAccessControl": self = .createAccessControl(try AccessControlTemplate(arguments))
        case "constant": self = .constant(try Self.argument("name", arguments).string("\"name\""))
        case "errorMessage": self = .errorMessage(try SymbolName.status(Self.argument("code", arguments)))
        case "sleep":
            // On the clock of the device, so that nobody waits.
            let milliseconds = try Self.argument("ms", arguments).integer("\"ms\"")
            self = .device(.advanceClock(seconds: Double(milliseconds) / 1000))
        default:
            if let step = try DeviceStep(name, arguments) {
                self = .device(step)
            } else if let step = try ContextStep(name, arguments) {
                self = .context(step)
            } else if let step = try KeyStep(name, arguments) {
                self = .key(step)
            } else {
                throw CaseDefect("unknown operation \"\(name)\"")
            }
        }
    }

    private static func argument(_ name: String, _ arguments: JSONValue) throws(CaseDefect) -> JSONValue {
        let members = try arguments.object("args")
        try members.allow(only: [name], in: "args")
        return try members.required(name, of: "args")
    }

    private static func groups(_ arguments: JSONValue) throws(CaseDefect) -> [String] {
        var groups: [String] = []
        let members = try arguments.object("args")
        try members.allow(only: ["groups", "client"], in: "args")
        for group in try members.required("groups", of: "args").array("\"groups\"") {
            groups.append(try group.string("a group"))
        }
        return groups
    }
}
