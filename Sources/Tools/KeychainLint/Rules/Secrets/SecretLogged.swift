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
            for expression in SyntaxWalk.expressions(facts.source.tree.statements) {
                guard case .call(let callee, let arguments) = expression.kind, LogCall.isLog(callee) else { continue }
                if LogCall.isAboutDeviceToken(facts.source.text(expression.range)) { continue }
                for argument in arguments {
                    guard let name = LogCall.secret(argument.value) else { continue }
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
            let receiver = (base.lastName ?? "").lowercased()
            return receiver.contains("log")
        default: return false
        }
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
            if ["encrypted", "cipher", "sealed"].contains(where: { owner.contains($0) }) { return nil }
            return SecretName.isSecret(name) && !SecretName.isExcused(name) ? name : nil
        case .binary("??", let left, _): return plainSecret(left)
        case .call(let callee, let arguments) where callee.lastName == "String" && arguments.count == 1:
            return plainSecret(arguments[0].value)
        default: return nil
        }
    }
}
