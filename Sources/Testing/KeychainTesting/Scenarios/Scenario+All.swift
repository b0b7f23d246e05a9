// SPDX-License-Identifier: Apache-2.0
//
// A table of texts: long on purpose.

extension Scenario {
    /// Every scenario.
    public static let all: [Scenario] = [
        lockedInBackground, beforeFirstUnlock, duplicateThroughNonKeyAttribute, entitlementRemoved, teamChanged,
        passcodeRemoved, biometryReenrolled, restoredToNewDevice, freshInstallWithLeftovers,
    ]

    /// The app is woken in the background while the device is locked.
    public static let lockedInBackground = Scenario(
        name: "locked in background",
        story: "A notification or a background refresh wakes the app while the phone lies locked on the table.",
        usualMistake: """
            It mistakes errSecInteractionNotAllowed (-25308) for a missing token and signs the user out; or it saves by \
            deleting, which works while locked, and adding, which does not.
            """,
        advice: """
            Keep what the background needs as kSecAttrAccessibleAfterFirstUnlock. Treat -25308 as "later": neither \
            as absent nor as a reason to write.
            """,
        source: "Semantics, Items whose keys are unavailable; Apple: Restricting keychain item accessibility",
        event: .lock
    )

    /// The app is launched after a restart, before the user has unlocked the device.
    public static let beforeFirstUnlock = Scenario(
        name: "before first unlock",
        story:
            "The phone restarted overnight after an update of the system, and launches the app before it is unlocked.",
        usualMistake: """
            It takes an item that does not open for a damaged one and deletes it, which works even now; or it makes a new \
            key in the place of the one that it cannot read.
            """,
        advice: """
            Nothing but kSecAttrAccessibleAlways is readable now, not even kSecAttrAccessibleAfterFirstUnlock. Treat \
            -25308 as "later", and delete nothing because of it.
            """,
        source: "Semantics, Items whose keys are unavailable; Apple: kSecAttrAccessibleAfterFirstUnlock",
        event: .reboot
    )

    /// The item exists with another label, comment, description or generic attribute than the query names.
    public static let duplicateThroughNonKeyAttribute = Scenario(
        name: "duplicate through a non-key attribute",
        story: "An earlier version of the app stored the item with another label, comment or generic attribute.",
        usualMistake: """
            Its query names that attribute, and so finds nothing; the add that follows is errSecDuplicateItem (-25299), \
            because the key is taken. Nothing is read or saved ever again.
            """,
        advice: """
            Search, update and delete by the key alone: for a generic password service, account, access group and \
            kSecAttrSynchronizable. Give the other attributes to the add and to what an update changes.
            """,
        source: "Semantics, Attributes of each class; Apple: errSecDuplicateItem",
        event: .otherAttributes
    )

    /// An update of the app is no longer entitled to the access group that the app stores in.
    public static let entitlementRemoved = Scenario(
        name: "entitlement removed by an update",
        story: "The update was signed without the keychain access group that the version before it stored in.",
        usualMistake: """
            It names the group, and every call, the add of the next sign-in included, is errSecMissingEntitlement \
            (-34018), which it passes over.
            """,
        advice: """
            Tell -34018 from absent and report it: it is a fault of the build. Leave the group out, or fall back to \
            the app's own group, so that a new sign-in is kept.
            """,
        source: "Semantics, Access groups; Apple: Sharing access to keychain items among a collection of apps",
        event: .lessEntitlements
    )

    /// The app was transferred to another team, whose prefix its access groups have now.
    public static let teamChanged = Scenario(
        name: "team changed",
        story: "The app was sold; the update is signed by the new team, and its access groups have another prefix.",
        usualMistake:
            "It has the old team's prefix in a constant: no call reaches a group that the app may use any more.",
        advice: """
            Take the group from the entitlements, or name none. Expect that everybody has to sign in once more, and \
            that what the old version stored cannot be reached.
            """,
        source: "Semantics, Access groups; Apple: App ID prefix change and keychain access",
        event: .otherTeam
    )

    /// The owner turned the passcode off.
    public static let passcodeRemoved = Scenario(
        name: "passcode removed",
        story:
            "The user turned off the passcode, which destroys the items of kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly.",
        usualMistake:
            "It ignores the status of the add, which fails without a passcode, and reports success.",
        advice: """
            Report the failure of the add, ask for a passcode, or store with a weaker accessibility if that is what the \
            item may have. Expect that the old item is gone for good.
            """,
        source: "Semantics, Passcode; Apple: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly",
        event: .noPasscode
    )

    /// Another face or finger was enrolled.
    public static let biometryReenrolled = Scenario(
        name: "biometry re-enrolled",
        story: "The user enrolled another finger, which permanently invalidates items under .biometryCurrentSet.",
        usualMistake: """
            It updates the item that cannot be opened any more, or adds over it: neither works, and no sign-in \
            is ever kept again.
            """,
        advice: "Have the user sign in again, delete the item, which needs no authentication, and add it again.",
        source: "Semantics, Access control; Apple: SecAccessControlCreateFlags.biometryCurrentSet",
        event: .otherBiometry
    )

    /// A backup was restored to another device.
    public static let restoredToNewDevice = Scenario(
        name: "restored to a new device",
        story: "The user has a new phone; settings and files came from the backup, this-device-only items did not.",
        usualMistake: "It keeps a signed-in flag in the settings, which was restored, but has no token.",
        advice: "Ask the keychain, not the settings, and sign in again when it has nothing.",
        source: "Semantics, Protection levels; Apple: kSecAttrAccessibleWhenUnlockedThisDeviceOnly",
        event: .otherDevice
    )

    /// The app was deleted and installed again; its settings are gone, and its items are not.
    public static let freshInstallWithLeftovers = Scenario(
        name: "fresh install with leftovers",
        story: "The app was deleted and installed again: its settings are gone, but the keychain kept its items.",
        usualMistake: "It finds the token of the previous user, and starts signed in.",
        advice: "Keep a marker in the settings; if it is missing, delete the items of earlier installations.",
        source:
            "observed on iOS; Apple does not document it and has announced no change (Semantics says nothing of it)",
        event: .reinstallation
    )
}
