// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let testAssumesBiometrics = Rule(
        "test-assumes-biometrics",
        severity: .warning,
        confidence: .high,
        family: .tests,
        in: .tests,
        title: "A test takes biometry for granted",
        reason: """
            On a simulator, a virtual machine or a CI machine no finger and no face is enrolled: the assertion \
            fails there.
            """,
        remedy: "Inject a context that answers as the test needs it.",
        flagged: .test(
            """
            import LocalAuthentication
            import XCTest
            final class T: XCTestCase {
                func testIt() { XCTAssertTrue(LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)) }
            }
            """
        ),
        accepted: .test(
            """
            import LocalAuthentication
            import XCTest
            final class T: XCTestCase {
                func testIt() { XCTAssertTrue(Gate(context: FakeContext(canEvaluate: true)).isAvailable) }
            }
            """
        ),
        check: .file(mentioning: ["LAContext"]) { facts, report in
            let text = facts.source.text(ByteRange(0, facts.source.text.count))
            guard text.contains("LAContext"), !text.contains("targetEnvironment(simulator)"), !text.contains("XCTSkip")
            else { return }
            // Variables that hold the system's own context.
            var real: Set<String> = []
            for statement in SyntaxWalk.statements(facts.source.tree.statements) {
                guard case .variable(let variable) = statement.kind else { continue }
                for binding in variable.bindings {
                    guard let name = binding.name, case .call(let callee, _)? = binding.value?.bare.kind else {
                        continue
                    }
                    if callee.lastName == "LAContext" { real.insert(name) } else { real.remove(name) }
                }
            }
            func isReal(_ base: Expression?) -> Bool {
                guard let base else { return false }
                if case .call(let callee, _) = base.bare.kind { return callee.path == ["LAContext"] }
                return base.bare.lastName.map { real.contains($0) } ?? false
            }
            let positive: Set<String> = ["XCTAssertTrue", "XCTAssert", "XCTAssertNotEqual", "#expect", "#require"]
            for expression in SyntaxWalk.expressions(facts.source.tree.statements) {
                guard case .call(let callee, let arguments) = expression.kind, positive.contains(callee.lastName ?? ""),
                    let first = arguments.first
                else { continue }
                var condition = first.value
                if case .binary("!=", let left, _) = condition.kind { condition = left }
                switch condition.bare.kind {
                case .call(let inner, let values):
                    guard inner.lastName == "canEvaluatePolicy", case .member(let base, _) = inner.kind, isReal(base),
                        values.first?.value.lastName?.contains("Biometrics") == true
                    else { continue }
                case .member(let base, "biometryType"):
                    guard isReal(base), callee.lastName == "XCTAssertNotEqual" || condition !== first.value else {
                        continue
                    }
                default: continue
                }
                report.add(
                    Place(file: facts.file, range: expression.range),
                    "asserts that this machine has biometry enrolled"
                )
            }
        }
    )
}
