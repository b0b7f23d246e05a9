// SPDX-License-Identifier: Apache-2.0

// The verdicts on the dictionary, the user, or the report itself.
extension VerdictTable {
    static let dictionary = [
        VerdictRow(
            .queryInvalid,
            at: "C01",
            headline: "The dictionary is not valid: {attribute}",
            meaning:
                "A key that the function does not take, a value of a wrong type, or a missing class fails the call before any item is "
                + "looked at."
        )
        .advising(.changeQuery, "Remove or correct {attribute}.")
        .citing("lint:parameter-group-mismatch", "doctor:C01"),
        VerdictRow(
            .attributeNotInClass,
            at: "T7.2",
            headline: "Items of this class have no {attribute}",
            meaning: "Each class has its own attributes, and one that it does not have fails the whole call."
        )
        .advising(.changeQuery, "Leave {attribute} out, or use the attribute of this class that means the same.")
        .asking(
            "Does another attribute of this class mean the same as {attribute}?",
            because: "another attribute of the class may hold it",
            yes: "use that one",
            no: "leave it out"
        )
        .citing("lint:attribute-unsupported-for-class", "doctor:T7"),
        VerdictRow(
            .noSuchAttrUnexplained,
            at: "T7.3",
            headline: "{attribute} is an attribute of no class",
            meaning: "It is misspelt, or private."
        )
        .advising(.changeQuery, "Remove {attribute}.")
        .citing("doctor:T7"),
    ]

    static let person = [
        VerdictRow(
            .biometryChanged,
            at: "C11",
            headline: "Another set of faces or fingers is enrolled than when the item was stored",
            meaning:
                "biometryCurrentSet binds an item to the set that was enrolled then; nothing opens it after a change. It is not "
                + "settled whether the answer is errSecAuthFailed or errSecItemNotFound."
        )
        .advising(
            .create,
            "Authenticate the user in another way, and store the secret again.",
            risk: .promptsUser,
            if: "foreground, unlocked"
        )
        .citing("lint:biometric-flag-choice", "doctor:C11"),
        VerdictRow(
            .authFailed,
            at: "C11",
            headline: "The user was not recognized, or the secret that was given is wrong",
            meaning: "Authentication was asked for, and failed."
        )
        .advising(.authenticate, "Offer another attempt.", risk: .promptsUser, if: "foreground, unlocked")
        .warning("Do not delete the item: it is valid.")
        .citing("doctor:C11"),
    ]

    static let report = [
        VerdictRow(
            .notReproduced,
            at: "1",
            headline: "The call answers differently now, so something differed when it was made",
            meaning: "The replay on the store gives another status than the one that was reported."
        )
        .advising(.none, "Compare lock state, client, time and keychain with those of the call.")
        .citing("doctor:replay"),
        VerdictRow(
            .statusUnexplained,
            at: "1",
            headline: "No tree is for this status; the checks are listed",
            meaning: "The status says itself what is wrong, as far as anything does."
        )
        .citing("doctor:replay"),
    ]
}
