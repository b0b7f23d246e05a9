// SPDX-License-Identifier: Apache-2.0

/// What a rule is about in the terms of public catalogues.
///
/// Sources: MITRE, Common Weakness Enumeration; OWASP, Mobile Application Security Testing Guide.
extension Rule {
    /// Weaknesses and tests, and the severity in the scale of CVSS, for rules about security.
    private typealias Standards = (weaknesses: [Int], tests: [String], severity: String?)

    private static let standards: [String: Standards] = [
        "access-control-error-ignored": ([252, 636], ["MASTG-TEST-0266"], "6.5"),
        "access-control-weak-protection": ([522], ["MASTG-TEST-0248"], "4.0"),
        "access-group-missing-team-prefix": ([628], ["MASTG-TEST-0072"], nil),
        "access-group-not-entitled": ([628], ["MASTG-TEST-0072"], nil),
        "accessibility-migration-in-background": ([754], [], nil),
        "accessible-always": ([522, 922], ["MASTG-TEST-0052"], "7.5"),
        "accessible-with-access-control": ([628], [], nil),
        "add-incomplete-primary-key": ([628], [], nil),
        "add-missing-accessible": ([1188], ["MASTG-TEST-0052", "MASTG-TEST-0058"], "4.0"),
        "attribute-unsupported-for-class": ([628], [], nil),
        "attribute-value-mismatch": ([628], [], nil),
        "biometric-flag-choice": ([287], ["MASTG-TEST-0268", "MASTG-TEST-0270"], "4.0"),
        "ci-hardcoded-keychain-password": ([798], ["MASTG-TEST-0213"], "6.5"),
        "ci-missing-delete-keychain": ([459], [], "5.0"),
        "copy-missing-return-type": ([628], [], nil),
        "credential-in-plist-or-file": ([312], ["MASTG-TEST-0052", "MASTG-TEST-0214", "MASTG-TEST-0215"], "6.5"),
        "credential-in-user-defaults": ([312], ["MASTG-TEST-0052"], "7.5"),
        "deprecated-keychain-api": ([477], [], nil),
        "delete-on-interaction-not-allowed": ([754], [], nil),
        "delete-on-read-error": ([754], [], nil),
        "entitlement-default-group-differs": ([], ["MASTG-TEST-0072"], nil),
        "entitlement-group-missing-prefix": ([628], [], nil),
        "error-without-osstatus": ([755], [], nil),
        "force-cast-result": ([704], [], nil),
        "fresh-install-detector-absent": ([459], ["MASTG-TEST-0052"], "3.0"),
        "hardcoded-secret": ([798], ["MASTG-TEST-0213"], "7.5"),
        "ignored-osstatus": ([252], [], nil),
        "item-not-found-fatal": ([755], [], nil),
        "la-reuse-duration-excessive": ([613], ["MASTG-TEST-0266"], "4.0"),
        "local-auth-fail-open": ([287, 636], ["MASTG-TEST-0266"], "8.0"),
        "local-auth-only-gate": ([287], ["MASTG-TEST-0266"], "6.5"),
        "migration-destroys-source-unverified": ([252, 755], [], nil),
        "migration-leaves-source": ([312, 459], ["MASTG-TEST-0052"], "6.0"),
        "parameter-group-mismatch": ([628], [], nil),
        "protected-data-preflight": ([367], ["MASTG-TEST-0248"], nil),
        "query-missing-class": ([628], [], nil),
        "read-error-collapsed": ([754], [], nil),
        "result-cast-mismatch": ([704], [], nil),
        "secure-enclave-bad-parameters": ([628], ["MASTG-TEST-0209"], nil),
        "secret-logged": ([532], ["MASTG-TEST-0053"], "6.0"),
        "secret-regenerated-on-read-error": ([754], [], nil),
        "synchronizable-with-this-device-only": ([628], ["MASTG-TEST-0058"], nil),
        "swallowed-duplicate-item": ([754], [], nil),
        "test-real-keychain-no-cleanup": ([459], [], nil),
    ]

    /// Tags, for programs that show findings: CWE and MASTG ids among them.
    public var tags: [String] {
        let known = Self.standards[id]
        var result = (known?.weaknesses ?? []).map { "external/cwe/cwe-\($0)" } + (known?.tests ?? [])
        if known?.severity != nil { result.append("security") }
        return result + ["keychain"]
    }

    /// The tests of the MASTG, and the numbers of the weaknesses.
    var catalogues: (tests: [String], weaknesses: [Int]) {
        let known = Self.standards[id]
        return (known?.tests ?? [], known?.weaknesses ?? [])
    }

    /// The tests of the MASTG that the rule finds mistakes for, such as `MASTG-TEST-0266`.
    public var guideTests: [String] { catalogues.tests }

    /// The severity in the scale of CVSS from 0.1 to 10; nil for rules that are not about security.
    public var securitySeverity: String? { Self.standards[id]?.severity }

    /// The rules that the table names, so that a test can hold them against those that there are.
    public static var rulesWithStandards: [String] { standards.keys.sorted() }
}
