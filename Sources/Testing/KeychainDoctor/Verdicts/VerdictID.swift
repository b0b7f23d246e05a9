// SPDX-License-Identifier: Apache-2.0

/// The possible verdicts on a call; the raw value is the name in reports.
package enum VerdictID: String, Sendable, CaseIterable {
    // an item already exists
    case duplicateAfterMissedDelete = "duplicate-after-missed-delete"
    case duplicateOtherEntitledGroup = "duplicate-other-entitled-group"
    case duplicateSyncScope = "duplicate-sync-scope"
    case duplicateNonKeyLookup = "duplicate-non-key-lookup"
    case duplicateDerivedKey = "duplicate-derived-key"
    case duplicateEmptyKeyColumn = "duplicate-empty-key-column"
    case duplicateExists = "duplicate-exists"
    case duplicateUnexplained = "duplicate-unexplained"

    // nothing is found
    case danglingReference = "dangling-reference"
    case addNeverSucceeded = "add-never-succeeded"
    case wasDeleted = "was-deleted"
    case identityHalfMissing = "identity-half-missing"
    case neverStored = "never-stored"
    case ambiguousIntent = "ambiguous-intent"
    case classMismatch = "class-mismatch"
    case attributeNarrows = "attribute-narrows"
    case attributeFormat = "attribute-format"
    case attributesNarrow = "attributes-narrow"
    case groupAsymmetric = "group-asymmetric"
    case groupExcludedByQuery = "group-excluded-by-query"
    case groupNotEntitled = "group-not-entitled"
    case syncScope = "sync-scope"
    case notFoundUnexplained = "not-found-unexplained"

    // the user cannot be prompted, or keys are locked
    case aclNeedsUser = "acl-needs-user"
    case aclProbeHit = "acl-probe-hit"
    case beforeFirstUnlock = "before-first-unlock"
    case lockedLevelTooStrict = "locked-level-too-strict"
    case lockedWrite = "locked-write"
    case interactionUnexplained = "interaction-unexplained"

    // the client may not
    case noGroupsAtAll = "no-groups-at-all"
    case groupPrefixMissing = "group-prefix-missing"
    case groupPrefixWrong = "group-prefix-wrong"
    case appGroupNotEntitled = "app-group-not-entitled"
    case groupNotListed = "group-not-listed"
    case signatureNotApplied = "signature-not-applied"
    case shareMismatch = "share-mismatch"

    // items that are gone after an update
    case prefixChanged = "prefix-changed"
    case oldGroupRemoved = "old-group-removed"
    case defaultGroupChanged = "default-group-changed"
    case queryChanged = "query-changed"
    case protectionInvalidated = "protection-invalidated"
    case otherTargetWrote = "other-target-wrote"
    case storedUnderOtherName = "stored-under-other-name"

    // macOS
    case shimIgnoredAttribute = "shim-ignored-attribute"
    case lockedMaskedAsNotFound = "locked-masked-as-not-found"
    case noDefaultKeychain = "no-default-keychain"
    case ciKeychainLocked = "ci-keychain-locked"
    case fileKeychainLocked = "file-keychain-locked"
    case limitDefaultDiffers = "limit-default-differs"
    case fileBasedByDefault = "file-based-by-default"
    case mixedKeychains = "mixed-keychains"
    case otherKeychain = "other-keychain"

    // the dictionary
    case queryInvalid = "query-invalid"
    case attributeNotInClass = "attribute-not-in-class"
    case noSuchAttrUnexplained = "no-such-attr-unexplained"

    // the user
    case biometryChanged = "biometry-changed"
    case authFailed = "auth-failed"

    // calls that succeed
    case noReturnType = "no-return-type"
    case resultTypeMismatch = "result-type-mismatch"
    case ambiguousMatch = "ambiguous-match"
    case simulatorNotEnforced = "simulator-not-enforced"
    case simulatorSkipsACL = "simulator-skips-acl"
    case survivesUninstall = "survives-uninstall"
    case addOnlyAttribute = "add-only-attribute"
    case updateZeroVisibleChange = "update-zero-visible-change"
    case updateScopeTooWide = "update-scope-too-wide"
    case deleteScopeTooWide = "delete-scope-too-wide"
    case deleteOtherRow = "delete-other-row"
    case deleteNeedsNoKey = "delete-needs-no-key"
    case nothingWrong = "nothing-wrong"

    // the report itself
    case notReproduced = "not-reproduced"
    case statusUnexplained = "status-unexplained"

    /// Whether the call is not explained.
    package var isOpen: Bool { rawValue.hasSuffix("-unexplained") || self == .ambiguousIntent }

    /// The exit status of a report with this verdict.
    package var exitStatus: Int32 { self == .notReproduced ? 3 : isOpen ? 1 : 0 }

    /// Its row in the table.
    package var row: VerdictRow {
        VerdictTable.rows[self] ?? VerdictRow(self, at: "", headline: "\(rawValue)", meaning: "")
    }
}
