// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Security

/// What a step does with a key.
enum KeyStep {
    case create([String: ValueTemplate])
    case copyPublicKey(ValueTemplate)
    case export(ValueTemplate)
    case `import`(ValueTemplate, attributes: [String: ValueTemplate])
    case copyAttributes(ValueTemplate)
}

// MARK: - From JSON

extension KeyStep {
    /// Reads a step by its name; `nil` when it is of another kind.
    init?(_ name: String, _ arguments: JSONValue) throws(CaseDefect) {
        switch name {
        case "createKey": self = .create(try ValueTemplate.members(arguments, of: "args"))
        case "publicKey": self = .copyPublicKey(try Self.key(arguments))
        case "exportKey": self = .export(try Self.key(arguments))
        case "keyAttributes": self = .copyAttributes(try Self.key(arguments))
        case "importKey":
            let members = try arguments.object("args")
            try members.allow(only: ["data", "attributes"], in: "args")
            self = .import(
                try ValueTemplate(members.required("data", of: "args")),
                attributes: try ValueTemplate.members(members.required("attributes", of: "args"), of: "\"attributes\"")
            )
        default: return nil
        }
    }

    private static func key(_ arguments: JSONValue) throws(CaseDefect) -> ValueTemplate {
        let members = try arguments.object("args")
        try members.allow(only: ["key"], in: "args")
        return try ValueTemplate(members.required("key", of: "args"))
    }
}

// MARK: - With the public functions

extension KeyStep {
    /// Carries out the step; without an error the status is success, whether there is a result or not.
    func perform(_ variables: Variables) throws(CaseDefect) -> CallResult {
        var error: Unmanaged<CFError>?
        let value: AnyObject?
        switch self {
        case .create(let parameters):
            let parameters = try ValueTemplate.values(parameters, variables) as NSDictionary
            value = SecKeyCreateRandomKey(parameters, &error)
        case .copyPublicKey(let key):
            value = SecKeyCopyPublicKey(try Self.key(key, variables))
        case .export(let key):
            value = SecKeyCopyExternalRepresentation(try Self.key(key, variables), &error)
        case .copyAttributes(let key):
            value = SecKeyCopyAttributes(try Self.key(key, variables))
        case .import(let data, let attributes):
            guard let data = try data.value(variables) as? Data else { throw CaseDefect("\"data\" is no data") }
            let attributes = try ValueTemplate.values(attributes, variables) as NSDictionary
            value = SecKeyCreateWithData(data as NSData, attributes, &error)
        }
        return CallResult(status: try error.status(), value: value)
    }

    private static func key(_ template: ValueTemplate, _ variables: Variables) throws(CaseDefect) -> SecKey {
        guard let key = try template.value(variables) as? SecKey else { throw CaseDefect("\"key\" is no key") }
        return key
    }
}

extension Unmanaged<CFError>? {
    /// The status that an error stands for, which it is taken out of its wrapper for; success when there is none.
    func status() throws(CaseDefect) -> OSStatus {
        guard let error = self?.takeRetainedValue() else { return errSecSuccess }
        guard error.domain == NSOSStatusErrorDomain, let status = OSStatus(exactly: error.code) else {
            throw CaseDefect("the call gave error \(error.code) of domain \(error.domain)")
        }
        return status
    }
}
