// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let laReuseDurationExcessive = Rule(
        "la-reuse-duration-excessive",
        severity: .warning,
        confidence: .high,
        family: .accessControl,
        title: "An authentication is reused for longer than the system does",
        reason: """
            The longest time is LATouchIDAuthenticationMaximumAllowableReuseDuration, five minutes: more has no \
            effect. More than a minute is long for a secret.
            """,
        remedy: "Use a few seconds, or 0 to ask each time.",
        flagged: """
            import LocalAuthentication
            func context() -> LAContext {
                let c = LAContext()
                c.touchIDAuthenticationAllowableReuseDuration = 60 * 60
                return c
            }
            """,
        accepted: """
            import LocalAuthentication
            func set(_ c: LAContext) { c.touchIDAuthenticationAllowableReuseDuration = 10 }
            """,
        check: .file(mentioning: ["AllowableReuseDuration"]) { facts, report in
            for expression in SyntaxWalk.expressions(facts.source.tree.statements) {
                guard case .assign(let target, let value) = expression.kind,
                    target.lastName == "touchIDAuthenticationAllowableReuseDuration", let seconds = number(value),
                    seconds > 60
                else { continue }
                report.add(
                    Place(file: facts.file, range: expression.range),
                    seconds > 300
                        ? "reuses an authentication for \(Int(seconds)) s: the system's maximum is 300 s"
                        : "reuses an authentication for \(Int(seconds)) s",
                    severity: seconds > 300 ? .warning : .note
                )
            }
        }
    )
}

/// A literal number, or one computed from literals.
private func number(_ expression: Expression) -> Double? {
    switch expression.bare.kind {
    case .integer(let value?): return Double(value)
    case .float(let value?): return value
    case .binary("*", let left, let right):
        guard let left = number(left), let right = number(right) else { return nil }
        return left * right
    case .call(let callee, let arguments)
    where ["TimeInterval", "Double"].contains(callee.lastName ?? "") && arguments.count == 1:
        return number(arguments[0].value)
    default: return nil
    }
}
