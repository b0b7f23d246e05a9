// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Security

/// An access control that a case asks for: `{"protection": NAME, "flags": [NAME, ...]}`.
struct AccessControlTemplate {
    var protection: ValueTemplate
    var flags: SecAccessControlCreateFlags

    init(_ json: JSONValue) throws(CaseDefect) {
        let members = try json.object("an access control")
        try members.allow(only: ["protection", "flags"], in: "an access control")
        protection = try ValueTemplate(members.required("protection", of: "an access control"))
        flags = []
        for name in try members.required("flags", of: "an access control").array("flags") {
            flags.insert(try Self.flag(name.string("a flag")))
        }
    }

    /// Makes the access control through the public function.
    func create(_ variables: Variables) throws(CaseDefect) -> CallResult {
        let protection = try protection.value(variables) as AnyObject
        var error: Unmanaged<CFError>?
        if let made = SecAccessControlCreateWithFlags(nil, protection, flags, &error) {
            return CallResult(status: errSecSuccess, value: made)
        }
        guard error != nil else {
            throw CaseDefect("SecAccessControlCreateWithFlags gave neither an access control nor an error")
        }
        return CallResult(status: try error.status(), value: nil)
    }

    private static func flag(_ name: String) throws(CaseDefect) -> SecAccessControlCreateFlags {
        switch name {
        case "userPresence": .userPresence
        case "biometryAny": .biometryAny
        case "biometryCurrentSet": .biometryCurrentSet
        case "devicePasscode": .devicePasscode
        case "companion": .companion
        case "or": .or
        case "and": .and
        case "privateKeyUsage": .privateKeyUsage
        case "applicationPassword": .applicationPassword
        default: throw CaseDefect("unknown access control flag \"\(name)\"")
        }
    }
}
