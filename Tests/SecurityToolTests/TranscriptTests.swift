// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SecurityTool

/// Every row of `Cases/*.jsonl`: `specification` as it was given, `delivery` for what that lacks.
@Suite(.timeLimit(.minutes(30)))
struct TranscriptTests {
    @Test("a row of the specification holds", arguments: try specification.filter(\.isSupported))
    func specificationHolds(_ row: Transcript) throws { try row.run() }

    @Test("a row of our own holds", arguments: try Transcript.load("delivery"))
    func deliveryHolds(_ row: Transcript) throws { try row.run() }

    @Test("the rows that wait for another command are known")
    func skippedRowsAreKnown() throws {
        let skipped = try Self.specification.filter { !$0.isSupported }.map(\.id)
        #expect(skipped == Self.expectedSkips)
        #expect(try Self.specification.count - skipped.count == 86)
    }

    private static var specification: [Transcript] {
        get throws { try Transcript.load("specification").map(\.adapted) }
    }

    /// The pinned rows; a command that arrives takes some away.
    private static let expectedSkips: [String] = [
        "global-verbose-echo", "global-login-keychain-domain", "keychain-create-login-default",
        "keychain-create-duplicate", "keychain-create-several", "keychain-create-prompt",
        "keychain-create-prompt-mismatch", "keychain-create-name-prompt-empty", "keychain-relative-name",
        "keychain-absolute-name", "keychain-list-order", "keychain-list-replace", "keychain-list-missing-ok",
        "keychain-list-bad-domain", "keychain-list-empty", "keychain-default-set", "keychain-default-two",
        "keychain-delete-missing", "keychain-delete-none", "keychain-delete-several", "keychain-delete-default",
        "keychain-info-fresh", "keychain-info-lut", "keychain-info-t", "keychain-info-u-only",
        "keychain-settings-two", "keychain-lock-find-w", "keychain-lock-add", "keychain-lock-all",
        "keychain-unlock-wrong", "keychain-unlock-right", "keychain-unlock-prompt", "keychain-unlock-prompt-default",
        "keychain-password-change-wrong", "keychain-password-change-prompt-mismatch", "generic-update-found-in-list",
        "generic-search-list", "generic-scoped-find", "dump-locked-data", "cert-import-pem", "cert-import-default",
        "cert-import-dup", "cert-import-missing-file", "cert-import-no-args", "cert-import-bad-type",
        "cert-import-bad-format", "cert-import-p12", "cert-import-p12-aes", "cert-import-p12-github",
        "cert-import-p12-wrong", "cert-find-attrs", "cert-find-substring", "cert-find-p", "cert-find-Z",
        "cert-find-all-p", "cert-find-missing", "cert-find-all-missing", "cert-add-certificates-missing",
        "cert-add-certificates-none", "cert-delete", "cert-delete-missing", "identity-name", "identity-untrusted",
        "identity-cert-alone", "identity-delete", "identity-partition-ok", "identity-partition-wrong",
        "identity-partition-no-S", "identity-partition-bad-t", "identity-partition-prompt", "identity-find-key-none",
        "identity-find-key", "identity-genp-partition-none", "identity-export-certs", "identity-export-file",
        "identity-export-roundtrip", "trust-cms-suppress", "trust-cms-missing", "trust-cms-none",
        "interactive-cmd-wins",
    ]
}
