// SPDX-License-Identifier: Apache-2.0

// The verdicts if the call succeeded.
extension VerdictTable {
    static let success = [
        VerdictRow(
            .noReturnType,
            at: "5.1",
            headline: "No return flag is set, so there is no result",
            meaning: "A copy without kSecReturn… tests for existence alone."
        )
        .advising(.changeQuery, "Set the return flag of what you need, such as kSecReturnData.")
        .citing("lint:copy-missing-return-type", "doctor:C15"),
        VerdictRow(
            .resultTypeMismatch,
            at: "5.1",
            headline: "The flags and the limit give another type than the caller expects",
            meaning:
                "One flag gives the value itself, several give a dictionary, a limit other than one gives an array; a password has no "
                + "reference."
        )
        .advising(.changeQuery, "Set the flags for the type that you need, or cast to the type that they give.")
        .citing("lint:result-cast-mismatch", "doctor:C15"),
        VerdictRow(
            .ambiguousMatch,
            at: "5.2",
            headline: "More than one item matches, and which one comes back is not defined; they differ in {attribute}",
            meaning: "With a limit of one the keychain returns any of them."
        )
        .advising(.changeQuery, "Name {attribute}, or ask for all and choose.")
        .citing("lint:lookup-incomplete-primary-key", "doctor:C22"),
        VerdictRow(
            .simulatorNotEnforced,
            at: "5.3",
            headline: "A device in this state would refuse the call: the simulator keeps no level",
            meaning: "The simulator does not enforce data protection."
        )
        .advising(.changeAttributes, "Choose the level for the device, and test there.")
        .citing("doctor:C10"),
        VerdictRow(
            .simulatorSkipsACL,
            at: "5.3",
            headline: "A device would prompt the user here: the simulator does not enforce access control",
            meaning: "The simulator opens guarded items without asking."
        )
        .advising(.none, "Do not expect a prompt in the simulator.")
        .citing("lint:test-assumes-biometrics", "doctor:C11"),
        VerdictRow(
            .survivesUninstall,
            at: "5.4",
            headline: "The item outlived the removal of the app, as keychain items do",
            meaning: "On iOS the items of an app stay when it is removed."
        )
        .advising(.none, "On the first launch after an installation, clean up what an earlier one left.")
        .citing("doctor:C13"),
        VerdictRow(
            .addOnlyAttribute,
            at: "5.5",
            headline: "{attribute} is documented for SecItemAdd alone",
            meaning:
                "The data protection keychain takes an access control in an update of software items, never of a token's keys."
        )
        .advising(.create, "Add a new item with the access control, and verify it before the old one goes.")
        .citing("lint:update-add-only-attribute", "doctor:C17"),
        VerdictRow(
            .updateZeroVisibleChange,
            at: "5.5",
            headline: "The update succeeded, and sets nothing that shows: {attribute}",
            meaning: "What it sets is ignored; only the modification date moves."
        )
        .advising(.changeAttributes, "Set what is to change.")
        .citing("doctor:C17"),
        VerdictRow(
            .updateScopeTooWide,
            at: "5.5",
            headline: "The update changes {count} items, which differ in {attribute}",
            meaning: "An update changes every item that matches."
        )
        .advising(.changeQuery, "Give the full key: name {attribute}.", risk: .dataLossIfWrong)
        .citing("lint:update-incomplete-primary-key", "doctor:C16"),
        VerdictRow(
            .deleteScopeTooWide,
            at: "5.6",
            headline: "The delete takes {count} items, which differ in {attribute}",
            meaning: "A delete takes every item that matches, and no limit can narrow it."
        )
        .advising(.changeQuery, "Give the full key: name {attribute}.", risk: .dataLossIfWrong)
        .citing("lint:delete-incomplete-primary-key", "doctor:C16"),
        VerdictRow(
            .deleteOtherRow,
            at: "5.6",
            headline: "An item with the same key attributes stays",
            meaning:
                "The same account and service may be there once more: in another group, local and synchronizable, or in the other keychain."
        )
        .advising(.changeQuery, "Name the group and kSecAttrSynchronizable of the item that is to go.")
        .citing("doctor:C16"),
        VerdictRow(
            .deleteNeedsNoKey,
            at: "5",
            headline: "The delete worked without the item's keys; an add would not",
            meaning: "A delete opens nothing."
        )
        .warning(deleteTrap)
        .citing("doctor:C10"),
        VerdictRow(
            .nothingWrong,
            at: "5.7",
            headline: "Nothing is wrong with this call",
            meaning: "The call does what its dictionary says."
        ),
    ]
}
