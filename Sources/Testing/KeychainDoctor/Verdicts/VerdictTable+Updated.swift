// SPDX-License-Identifier: Apache-2.0

// The verdicts if an update of the program, or the two keychains of a Mac, are the cause.
extension VerdictTable {
    static let updated = [
        VerdictRow(
            .prefixChanged,
            at: "T5.1",
            headline: "The item is in {group}: the same name under another prefix",
            meaning:
                "After a transfer to another team or another App ID prefix, earlier items stay under the old prefix."
        )
        .advising(.changeEntitlements, "List both prefixes if the provisioning profile allows it, and move the items.")
        .asking(
            "Was the app transferred, or signed by another team?",
            because: "then the old prefix may be out of reach for good",
            yes: "plan for the user to log in again",
            no: "put the old prefix back"
        )
        .citing("doctor:T5"),
        VerdictRow(
            .oldGroupRemoved,
            at: "T5.1",
            headline: "The group {group} left the client's list with the update of the program",
            meaning:
                "Items stay in the group in which they were stored, and neither a query nor a delete reaches them from outside."
        )
        .advising(
            .changeEntitlements,
            "Put the old group back, move its items by an update of kSecAttrAccessGroup, then retire it."
        )
        .warning("Deleting or adding the items again does not reach them.")
        .citing("doctor:T5"),
        VerdictRow(
            .defaultGroupChanged,
            at: "T5.2",
            headline: "The first group of the list changed: old items are in {group}, new ones elsewhere",
            meaning: "An add without a group stores in the first one of the list."
        )
        .advising(.changeQuery, "Name the group in every add; leave it out of reads, or name {group}.")
        .citing("doctor:T5"),
        VerdictRow(
            .queryChanged,
            at: "T5.3",
            headline: "The groups did not change with the update; the query did, in {attribute}",
            meaning:
                "The list of access groups is the same before and after, so that the query itself rules the item out."
        )
        .advising(.changeQuery, "Look for the item as the earlier version stored it, then store it again.")
        .citing("doctor:T5"),
        VerdictRow(
            .protectionInvalidated,
            at: "T5.4",
            headline: "The item was stored, and went for good with its level {level}",
            meaning:
                "Items of WhenPasscodeSet are discarded with the passcode; ThisDeviceOnly items do not come along to another device."
        )
        .advising(.authenticate, "Have the user log in again, and store a new item.", risk: .promptsUser)
        .asking(
            "Was the passcode removed, or the device restored?",
            because: "both take items of this level away",
            yes: "nothing brings them back",
            no: "look for a delete"
        )
        .citing("doctor:T5"),
        VerdictRow(
            .otherTargetWrote,
            at: "T5.5",
            headline: "{client} stored the item in {group}, which this client does not have",
            meaning: "Extensions, widgets and other programs have lists of their own."
        )
        .advising(.changeEntitlements, "Give both programs one group, and name it in every call.")
        .citing("lint:access-group-asymmetric", "doctor:T5"),
        VerdictRow(
            .storedUnderOtherName,
            at: "T5.6",
            headline: "Only a program whose file is named {client} finds the item",
            meaning:
                "Without entitlements and without an identity, a program stores its items in an access group with the name of its "
                + "file. After a rename, or with the version in the name, it looks in another group, and does not find them."
        )
        .advising(
            .migrate,
            "If that is another name of this program, move its items to the present one: keychainctl move --from-program FORMER "
                + "--to-program PRESENT, with --dry-run first."
        )
        .advising(
            .migrate,
            "Give the program an identity, which stays when the file is renamed (keychainctl identity-note), and move its items "
                + "there: keychainctl move --from-program FORMER --to-group IDENTITY."
        )
        .asking(
            "Is {client} an earlier or later name of this program?",
            because: "programs of different names may have items that are alike",
            yes: "move its items",
            no: "it is another program's item; store your own"
        )
        .warning("Do not add the item a second time: the first one stays where it is, out of reach.")
        .citing("doctor:T5"),
    ]

    static let macOS = [
        VerdictRow(
            .shimIgnoredAttribute,
            at: "T6.2",
            headline: "The file-based keychain ignores {attribute}, and answers without it",
            meaning:
                "Without kSecUseDataProtectionKeychain an attribute that the class does not have is passed over silently; elsewhere the "
                + "same call fails with errSecNoSuchAttr."
        )
        .advising(.changeQuery, "Leave {attribute} out, and set kSecUseDataProtectionKeychain.")
        .citing("lint:missing-data-protection-keychain", "doctor:T6"),
        VerdictRow(
            .lockedMaskedAsNotFound,
            at: "T6.2",
            headline: "The item is there and locked; the Mac's front end reports the other keychain's \"not found\"",
            meaning: "Where both keychains are asked, an error of the data protection keychain is never seen."
        )
        .advising(.changeQuery, "Set kSecUseDataProtectionKeychain, so that the true status comes back.")
        .warning(deleteTrap)
        .citing("lint:missing-data-protection-keychain", "doctor:T6"),
        VerdictRow(
            .noDefaultKeychain,
            at: "T6.2",
            headline: "There is no default keychain to store in",
            meaning: "Without kSecUseDataProtectionKeychain an add goes to the default file-based keychain."
        )
        .advising(.create, "Create a keychain, and make it the default: security create-keychain, default-keychain.")
        .advising(.changeQuery, "Or set kSecUseDataProtectionKeychain.")
        .citing("lint:missing-data-protection-keychain", "doctor:T6"),
        VerdictRow(
            .ciKeychainLocked,
            at: "T6.2",
            headline: "The keychain of the machine is locked, and no user is present to unlock it",
            meaning: "A file-based keychain locks by itself, and its items may ask before another program uses them."
        )
        .advising(.unlock, "Unlock it in the job, set its timeout, and set the partition list of its keys.")
        .citing("lint:ci-missing-keychain-settings", "lint:ci-missing-partition-list", "doctor:T6"),
        VerdictRow(
            .fileKeychainLocked,
            at: "T6.2",
            headline: "The file-based keychain is locked",
            meaning: "It is locked by a timeout or on sleep, and returns errSecAuthFailed if no prompt is answered."
        )
        .advising(.unlock, "Unlock it; for a new program prefer kSecUseDataProtectionKeychain.", risk: .promptsUser)
        .citing("doctor:T6"),
        VerdictRow(
            .limitDefaultDiffers,
            at: "T6.2",
            headline: "The file-based keychain changes one item, the data protection keychain all that match",
            meaning:
                "Without a limit the file-based side of a delete or an update means one item, the data protection side all."
        )
        .advising(.changeQuery, "Give every key attribute, so that one item is meant on either side.")
        .citing("doctor:T6"),
        VerdictRow(
            .fileBasedByDefault,
            at: "T6.2",
            headline: "Without kSecUseDataProtectionKeychain this call reaches the file-based keychain",
            meaning: "On a Mac a native program reaches the data protection keychain when it asks for it."
        )
        .advising(.changeQuery, "Set kSecUseDataProtectionKeychain in every call.")
        .asking(
            "Is there a reason to stay with the file-based keychain?",
            because: "other tools and the user may have to reach its items",
            yes: "leave the flag out of every call",
            no: "set it in every call"
        )
        .citing("lint:missing-data-protection-keychain", "doctor:T6"),
        VerdictRow(
            .mixedKeychains,
            at: "T6.3",
            headline: "Some items of this service are in one keychain and some in the other",
            meaning: "Some calls set kSecUseDataProtectionKeychain, others do not."
        )
        .advising(.migrate, "Read each item without the flag, and add it with the flag; then set the flag everywhere.")
        .citing("lint:missing-data-protection-keychain", "doctor:T6"),
        VerdictRow(
            .otherKeychain,
            at: "T6.3",
            headline: "The item is in the other keychain of the Mac: {keychain}",
            meaning: "A Mac has a file-based and a data protection keychain; the flag decides which one a call reaches."
        )
        .advising(.changeQuery, "Set or leave out kSecUseDataProtectionKeychain alike in every call.")
        .citing("lint:missing-data-protection-keychain", "doctor:T6"),
    ]
}
