// SPDX-License-Identifier: Apache-2.0

// The verdicts if the call succeeded.
extension VerdictTable {
    static let success = [
        VerdictRow(
            .noReturnType,
            "5.1",
            "No return flag is set, so there is no result",
            "A copy without kSecReturn… tests for existence alone."
        )
        .advising(.changeQuery, "Set the return flag of what you need, such as kSecReturnData.")
        .citing("lint:copy-missing-return-type", "doctor:C15"),
        VerdictRow(
            .resultTypeMismatch,
            "5.1",
            "The flags and the limit give another type than the caller expects",
            "One flag gives the value itself, several give a dictionary, a limit other than one gives an array; a password has no "
                + "reference."
        )
        .advising(.changeQuery, "Set the flags for the type that you need, or cast to the type that they give.")
        .citing("lint:result-cast-mismatch", "doctor:C15"),
        VerdictRow(
            .ambiguousMatch,
            "5.2",
            "More than one item matches, and which one comes back is not defined; they differ in {attribute}",
            "With a limit of one the keychain returns any of them."
        )
        .advising(.changeQuery, "Name {attribute}, or ask for all and choose.")
        .citing("lint:lookup-incomplete-primary-key", "doctor:C22"),
        VerdictRow(
            .simulatorNotEnforced,
            "5.3",
            "A device in this state would refuse the call: the simulator keeps no level",
            "The simulator does not enforce data protection."
        )
        .advising(.changeAttributes, "Choose the level for the device, and test there.")
        .citing("doctor:C10"),
        VerdictRow(
            .simulatorSkipsACL,
            "5.3",
            "A device would prompt the user here: the simulator does not enforce access control",
            "The simulator opens guarded items without asking."
        )
        .advising(.none, "Do not expect a prompt in the simulator.")
        .citing("lint:test-assumes-biometrics", "doctor:C11"),
        VerdictRow(
            .survivesUninstall,
            "5.4",
            "The item outlived the removal of the app, as keychain items do",
            "On iOS the items of an app stay when it is removed."
        )
        .advising(.none, "On the first launch after an installation, clean up what an earlier one left.")
        .citing("doctor:C13"),
        VerdictRow(
            .addOnlyAttribute,
            "5.5",
            "{attribute} is documented for SecItemAdd alone",
            "The data protection keychain takes an access control in an update of software items, never of a token's keys."
        )
        .advising(.create, "Add a new item with the access control, and verify it before the old one goes.")
        .citing("lint:update-add-only-attribute", "doctor:C17"),
        VerdictRow(
            .updateZeroVisibleChange,
            "5.5",
            "The update succeeded, and sets nothing that shows: {attribute}",
            "What it sets is ignored; only the modification date moves."
        )
        .advising(.changeAttributes, "Set what is to change.")
        .citing("doctor:C17"),
        VerdictRow(
            .updateScopeTooWide,
            "5.5",
            "The update changes {count} items, which differ in {attribute}",
            "An update changes every item that matches."
        )
        .advising(.changeQuery, "Give the full key: name {attribute}.", risk: .dataLossIfWrong)
        .citing("lint:update-incomplete-primary-key", "doctor:C16"),
        VerdictRow(
            .deleteScopeTooWide,
            "5.6",
            "The delete takes {count} items, which differ in {attribute}",
            "A delete takes every item that matches, and no limit can narrow it."
        )
        .advising(.changeQuery, "Give the full key: name {attribute}.", risk: .dataLossIfWrong)
        .citing("lint:delete-incomplete-primary-key", "doctor:C16"),
        VerdictRow(
            .deleteOtherRow,
            "5.6",
            "An item with the same key attributes stays",
            "The same account and service may be there once more: in another group, local and synchronizable, or in the other keychain."
        )
        .advising(.changeQuery, "Name the group and kSecAttrSynchronizable of the item that is to go.")
        .citing("doctor:C16"),
        VerdictRow(
            .deleteNeedsNoKey,
            "5",
            "The delete worked without the item's keys; an add would not",
            "A delete opens nothing."
        )
        .warning(deleteTrap)
        .citing("doctor:C10"),
        VerdictRow(.nothingWrong, "5.7", "Nothing is wrong with this call", "The call does what its dictionary says."),
    ]
}
