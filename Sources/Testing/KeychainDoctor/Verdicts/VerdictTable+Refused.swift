// SPDX-License-Identifier: Apache-2.0

// The verdicts if the device, the user or the entitlements refuse.
extension VerdictTable {
    static let interaction = [
        VerdictRow(
            .aclNeedsUser,
            at: "T3.1",
            headline: "The item requires authentication, and the call does not allow interaction",
            meaning:
                "Its access control demands authentication for every read, also of attributes and for a test of existence."
        )
        .advising(
            .authenticate,
            "Make the call in the foreground, where the user can be prompted.",
            risk: .promptsUser,
            if: "foreground, unlocked"
        )
        .advising(.create, "For background use, keep a separate item without an access control.")
        .warning("Do not delete the item: it is there, and valid.")
        .asking(
            "Must this code run without a user?",
            because: "an item with an access control cannot be read then",
            yes: "keep a separate copy without one",
            no: "make the call where the user can be prompted"
        )
        .citing("lint:biometric-item-in-background", "doctor:T3"),
        VerdictRow(
            .aclProbeHit,
            at: "T3.1",
            headline: "The item exists: it requires authentication, and the context does not allow interaction",
            meaning: "With interactionNotAllowed, errSecInteractionNotAllowed says that an item matches."
        )
        .advising(.none, "Take this status as \"it exists\".")
        .warning("Do not delete the item: it is there, and valid.")
        .citing("doctor:T3"),
        VerdictRow(
            .beforeFirstUnlock,
            at: "T3.2",
            headline: "The device was not unlocked since it started, so the item's keys are not there",
            meaning: "Before the first unlock after a start only items of level Always can be used."
        )
        .advising(.wait, "Wait until protected data becomes available, then try again.", if: "after the first unlock")
        .warning("Do not treat the item as missing, and do not delete it: it comes back with the first unlock.")
        .citing("lint:read-error-collapsed", "doctor:T3"),
        VerdictRow(
            .lockedLevelTooStrict,
            at: "T3.3",
            headline: "The device is locked, and items of the level {level} cannot be read then",
            meaning:
                "Items of the levels WhenUnlocked and WhenPasscodeSet can be used only while the device is unlocked."
        )
        .advising(
            .migrate,
            "If the code must run while locked, move the item in the foreground to AfterFirstUnlock or its ThisDeviceOnly form.",
            if: "foreground, unlocked"
        )
        .advising(.wait, "Otherwise wait for the unlock, and try again.", if: "unlocked")
        .warning(deleteTrap)
        .warning("Do not ask isProtectedDataAvailable before the call: the state can change in between.")
        .asking(
            "Must this code run while the device is locked?",
            because: "the level decides when the secret can be read",
            yes: "use AfterFirstUnlock, if the secret may be readable from the first unlock on",
            no: "wait for the unlock"
        )
        .citing("lint:background-when-unlocked", "doctor:T3"),
        VerdictRow(
            .lockedWrite,
            at: "T3.4",
            headline: "The device is locked, and storing under the level {level} takes its key",
            meaning: "The keychain encrypts what it stores, so that an add or an update needs the key of the level."
        )
        .advising(.wait, "Keep the value in memory, and store it after the unlock.", if: "unlocked")
        .warning(deleteTrap)
        .asking(
            "Must this code run while the device is locked?",
            because: "the level decides when an item can be stored",
            yes: "use AfterFirstUnlock, if the secret may be readable from the first unlock on",
            no: "wait for the unlock"
        )
        .citing("lint:background-when-unlocked", "doctor:T3"),
        VerdictRow(
            .interactionUnexplained,
            at: "T3",
            headline: "Authentication is required, and nothing tells for what",
            meaning: "Neither a lock state nor an access control accounts for the status."
        )
        .citing("doctor:T3"),
    ]

    static let entitlement = [
        VerdictRow(
            .noGroupsAtAll,
            at: "T4.1",
            headline: "The client has no access group at all",
            meaning:
                "An unsigned program, a test bundle without a host app, or a command-line tool without entitlements has none."
        )
        .advising(.signAgain, "Sign the program with the keychain capability; run tests in a host app that has it.")
        .asking(
            "Do you have the signed program?",
            because: "the file in the project is not what counts; codesign -d --entitlements - --xml PROGRAM shows it",
            yes: "give its output by --client",
            no: "build and sign it first"
        )
        .citing("doctor:T4"),
        VerdictRow(
            .groupPrefixMissing,
            at: "T4.2",
            headline: "The access group lacks its prefix: in code it is {group}",
            meaning: "The entitlements file writes $(AppIdentifierPrefix); in code the full name is needed."
        )
        .advising(.changeQuery, "Use {group} in code; in the entitlements file $(AppIdentifierPrefix) and the rest.")
        .citing("lint:access-group-missing-team-prefix", "doctor:T4"),
        VerdictRow(
            .groupPrefixWrong,
            at: "T4.2",
            headline: "The access group has another prefix than the client's: that is {group}",
            meaning: "The prefix is that of another team, or an App ID prefix that the program does not have."
        )
        .advising(.changeQuery, "Use {group}, or sign with the team whose prefix the code names.")
        .citing("doctor:T4"),
        VerdictRow(
            .appGroupNotEntitled,
            at: "T4.2",
            headline: "{group} is not among the application groups of this client",
            meaning:
                "Application groups count as access groups when the program has them; on macOS with a provisioning profile alone."
        )
        .advising(.changeEntitlements, "Add {group} to com.apple.security.application-groups, and sign again.")
        .citing("doctor:T4"),
        VerdictRow(
            .groupNotListed,
            at: "T4.2",
            headline: "The access group {group} is not in the client's list",
            meaning: "A group that a call names must be one of the client's."
        )
        .advising(
            .changeEntitlements,
            "Add the group to keychain-access-groups: $(AppIdentifierPrefix) and the rest of its name."
        )
        .citing("lint:access-group-not-entitled", "doctor:T4"),
        VerdictRow(
            .signatureNotApplied,
            at: "T4.3",
            headline: "By the list given the call is allowed: the program that ran was signed with another one",
            meaning: "The entitlements of the built product differ from those that were given."
        )
        .advising(.signAgain, "Look at the built product: codesign -d --entitlements - --xml PROGRAM, then sign again.")
        .citing("doctor:T4"),
        VerdictRow(
            .shareMismatch,
            at: "T4.4",
            headline: "The item is in {group}, which the other program has and this one does not",
            meaning:
                "Two programs share an item in a group that both have listed, with the same prefix and the same name."
        )
        .advising(.changeEntitlements, "Give both programs one group, and name it in every call.")
        .citing("doctor:T4"),
    ]
}
