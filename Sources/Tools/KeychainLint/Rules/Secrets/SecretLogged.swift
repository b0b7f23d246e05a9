// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let secretLogged = Rule(
        "secret-logged",
        severity: .warning,
        confidence: .medium,
        family: .secrets,
        title: "A secret is logged",
        reason: """
            Logs are kept, sent to servers and attached to bug reports; the unified log shows them to whoever \
            plugs the device in.
            """,
        remedy: """
            Log what happened, not the value: its length, whether it is there. In Logger mark it privacy: \
            .private.
            """,
        flagged: #"""
            import os
            func got(_ accessToken: String) { logger.debug("got \(accessToken)") }
            let logger = Logger()
            """#,
        accepted: #"""
            import os
            func got(_ accessToken: String) { logger.debug("got a token of \(accessToken.count) characters") }
            """#,
        check: .file(mentioning: ["print", "og(", "og.", "ogger", "dump("]) { facts, report in
            let ofOtherType = LogCall.namesOfOtherTypes(facts.source.tree.statements)
            for expression in SyntaxWalk.expressions(facts.source.tree.statements) {
                guard case .call(let callee, let arguments) = expression.kind, LogCall.isLog(callee) else { continue }
                if LogCall.isAboutDeviceToken(facts.source.text(expression.range)) { continue }
                for argument in arguments {
                    guard let name = LogCall.secret(argument.value), !ofOtherType.contains(name) else { continue }
                    report.add(
                        Place(file: facts.file, range: expression.range),
                        "logs '\(name)'",
                        context: name
                    )
                    break
                }
            }
        }
    )
}

/// Calls that write to a log.
enum LogCall {
    private static let functions: Set<String> = ["print", "debugPrint", "NSLog", "os_log", "dump"]
    private static let levels: Set<String> = [
        "debug", "info", "notice", "warning", "error", "fault", "critical", "trace", "log", "verbose", "warn",
    ]

    static func isLog(_ callee: Expression) -> Bool {
        switch callee.kind {
        case .name(let name): return functions.contains(name)
        case .member(let base?, let name):
            guard levels.contains(name) else { return false }
            // `logger.info`, not `logHandler` or `dialog`.
            guard let last = SecretName.words(base.lastName ?? "").last else { return false }
            return ["log", "logger", "logging", "oslog", "nslog", "ddlog", "logs"].contains(last)
                || last.hasSuffix("logger")
        default: return false
        }
    }

    /// Names that the file declares with a type that is no text: a token of a language, of a parser, of an observer.
    static func namesOfOtherTypes(_ statements: [Statement]) -> Set<String> {
        var texts: Set<String> = []
        var others: Set<String> = []
        func note(_ name: String?, _ type: String?) {
            guard let name, let type else { return }
            let simple = Module.simpleName(type)
            if ["String", "Data", "Substring", "NSString", "Any", "AnyObject", "SecureString"].contains(simple)
                || SecretName.isSecret(simple) && simple != "Token"
            {
                texts.insert(name)
            } else {
                others.insert(name)
            }
        }
        func type(of value: Expression) -> String? {
            switch value.kind {
            case .cast(_, let kind, let type): kind == .check ? nil : type
            case .tryExpression(_, let inner): type(of: inner)
            case .call(let callee, _):
                if case .name(let name) = callee.kind, name.first?.isUppercase == true { name } else { nil }
            default: nil
            }
        }
        for statement in SyntaxWalk.statements(statements) {
            switch statement.kind {
            case .variable(let variable):
                for binding in variable.bindings { note(binding.name, binding.type ?? binding.value.flatMap(type)) }
            case .function(let function): for parameter in function.parameters { note(parameter.name, parameter.type) }
            case .condition(let conditions, _, _), .guarded(let conditions, _):
                for case .binding(let name, let value?, _) in conditions { note(name, type(of: value)) }
            default: break
            }
        }
        return others.subtracting(texts)
    }

    /// Whether the text of a call shows that the token identifies a device for notifications, which is not a secret.
    static func isAboutDeviceToken(_ text: String) -> Bool {
        let text = text.lowercased()
        return ["device token", "push token", "apns", "fcm", "registration token"].contains { text.contains($0) }
    }

    /// The name of a secret that an argument contains.
    static func secret(_ value: Expression) -> String? {
        switch value.kind {
        case .string(let parts):
            for case .interpolation(let arguments) in parts {
                guard let first = arguments.first else { continue }
                if arguments.contains(where: { $0.label == "privacy" && $0.value.lastName != "public" }) { continue }
                if let name = plainSecret(first.value) { return name }
            }
            return nil
        case .binary("+", let left, let right): return secret(left) ?? secret(right)
        default: return plainSecret(value)
        }
    }

    /// A secret that is logged directly, not through a property or a comparison.
    private static func plainSecret(_ expression: Expression) -> String? {
        let bare = expression.bare
        switch bare.kind {
        case .name(let name), .member(_, let name):
            let owner = (bare.path ?? []).dropLast().joined().lowercased()
            // Not a text about a secret either.
            let harmless = ["encrypted", "cipher", "sealed", "strings", "l10n", "messages", "localiz"]
            if harmless.contains(where: { owner.contains($0) }) { return nil }
            return SecretName.isSecret(name) && !SecretName.isExcused(name) ? name : nil
        case .binary("??", let left, _): return plainSecret(left)
        case .call(let callee, let arguments) where callee.lastName == "String" && arguments.count == 1:
            return plainSecret(arguments[0].value)
        default: return nil
        }
    }
}
