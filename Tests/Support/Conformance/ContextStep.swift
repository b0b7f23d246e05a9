// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainCore
import LocalAuthentication
import Security
import Synchronization

/// What a step does with an authentication context; these steps are our own.
enum ContextStep {
    /// Makes a context, which is the result.
    case new(Settings)
    case invalidate(ValueTemplate)
    case canEvaluate(ValueTemplate, LAPolicy)
    case evaluatePolicy(ValueTemplate, LAPolicy, reason: String)
    case evaluateAccessControl(ValueTemplate, AccessControlTemplate, reason: String)

    /// What a context is told before it is used.
    struct Settings {
        var interactionNotAllowed = false
        var reason = ""
        var reuseDuration = 0.0
        var applicationPassword: ValueTemplate?
    }
}

// MARK: - From JSON

extension ContextStep {
    /// Reads a step by its name; `nil` when it is of another kind.
    init?(_ name: String, _ arguments: JSONValue) throws(CaseDefect) {
        guard let names = Self.argumentNames[name] else { return nil }
        let members = try arguments.object("args")
        try members.allow(only: names, in: "args")
        if name == "newContext" {
            self = .new(try Settings(members))
            return
        }
        let context = try ValueTemplate(members.required("context", of: "args"))
        let reason = try members["reason"]?.string("\"reason\"") ?? "the case asks"
        switch name {
        case "canEvaluatePolicy": self = .canEvaluate(context, try Self.policy(members))
        case "evaluatePolicy": self = .evaluatePolicy(context, try Self.policy(members), reason: reason)
        case "evaluateAccessControl":
            let template = try AccessControlTemplate(members.required("accessControl", of: "args"))
            self = .evaluateAccessControl(context, template, reason: reason)
        default: self = .invalidate(context)
        }
    }

    private static let argumentNames: [String: Set<String>] = [
        "newContext": ["interactionNotAllowed", "reason", "reuseDuration", "applicationPassword"],
        "invalidateContext": ["context"], "canEvaluatePolicy": ["context", "policy"],
        "evaluatePolicy": ["context", "policy", "reason"],
        "evaluateAccessControl": ["context", "accessControl", "reason"],
    ]

    private static func policy(_ members: [String: JSONValue]) throws(CaseDefect) -> LAPolicy {
        switch try members.required("policy", of: "args").string("\"policy\"") {
        case "deviceOwnerAuthentication": return .deviceOwnerAuthentication
        case "deviceOwnerAuthenticationWithBiometrics": return .deviceOwnerAuthenticationWithBiometrics
        case "deviceOwnerAuthenticationWithCompanion": return .deviceOwnerAuthenticationWithCompanion
        case let name: throw CaseDefect("unknown policy \"\(name)\"")
        }
    }
}

extension ContextStep.Settings {
    fileprivate init(_ members: [String: JSONValue]) throws(CaseDefect) {
        interactionNotAllowed = try members["interactionNotAllowed"]?.boolean("\"interactionNotAllowed\"") ?? false
        reason = try members["reason"]?.string("\"reason\"") ?? ""
        reuseDuration = Double(try members["reuseDuration"]?.integer("\"reuseDuration\"") ?? 0)
        applicationPassword = try members["applicationPassword"].map(ValueTemplate.init)
    }
}

// MARK: - On a context

extension ContextStep {
    /// Carries out the step; the code of an `LAError` is the status.
    func perform(_ variables: Variables) throws(CaseDefect) -> CallResult {
        switch self {
        case .new(let settings): return CallResult(status: errSecSuccess, value: try Self.make(settings, variables))
        case .invalidate(let context):
            try Self.context(context, variables).invalidate()
            return CallResult(status: errSecSuccess, value: nil)
        case .canEvaluate(let context, let policy):
            var error: NSError?
            let isPossible = try Self.context(context, variables).canEvaluatePolicy(policy, error: &error)
            return try Self.result(isPossible, error)
        case .evaluatePolicy(let context, let policy, let reason):
            let context = try Self.context(context, variables)
            return try Self.outcome { context.evaluatePolicy(policy, localizedReason: reason, reply: $0) }
        case .evaluateAccessControl(let context, let template, let reason):
            let context = try Self.context(context, variables)
            guard let accessControl = try template.create(variables).value as? SecAccessControl else {
                throw CaseDefect("the access control is refused")
            }
            return try Self.outcome { reply in
                context.evaluateAccessControl(
                    accessControl,
                    operation: .useItem,
                    localizedReason: reason,
                    reply: reply
                )
            }
        }
    }

    private static func make(_ settings: Settings, _ variables: Variables) throws(CaseDefect) -> LAContext {
        let context = LAContext()
        context.interactionNotAllowed = settings.interactionNotAllowed
        context.localizedReason = settings.reason
        context.touchIDAuthenticationAllowableReuseDuration = settings.reuseDuration
        if let template = settings.applicationPassword {
            let password = try template.value(variables) as? Data
            guard let password, context.setCredential(password, type: .applicationPassword) else {
                throw CaseDefect("the credential is refused")
            }
        }
        return context
    }

    private static func context(_ template: ValueTemplate, _ variables: Variables) throws(CaseDefect) -> LAContext {
        guard let context = try template.value(variables) as? LAContext else {
            throw CaseDefect("\"context\" is no context")
        }
        return context
    }

    /// Waits for the callback of an evaluation.
    private static func outcome(
        _ evaluate: (@escaping @Sendable (Bool, (any Error)?) -> Void) -> Void
    ) throws(CaseDefect) -> CallResult {
        let answer = Mutex<(isSuccess: Bool, error: NSError?)>((false, nil))
        let isThere = DispatchSemaphore(value: 0)
        evaluate { isSuccess, error in
            answer.withLock { $0 = (isSuccess, error as NSError?) }
            isThere.signal()
        }
        isThere.wait()
        let (isSuccess, error) = answer.withLock { $0 }
        return try result(isSuccess, error)
    }

    private static func result(_ isSuccess: Bool, _ error: NSError?) throws(CaseDefect) -> CallResult {
        if isSuccess { return CallResult(status: errSecSuccess, value: nil) }
        guard let error, error.domain == LAErrorDomain, let code = OSStatus(exactly: error.code) else {
            throw CaseDefect("the evaluation ended with neither success nor an LAError")
        }
        return CallResult(status: code, value: nil)
    }
}
