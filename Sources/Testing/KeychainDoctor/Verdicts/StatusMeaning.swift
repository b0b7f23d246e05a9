// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The meaning of an item function's status, here and on Apple's platforms: rows of `Documentation/Diagnosis.md`.
package struct StatusMeaning: Sendable {
    package let status: Status
    /// The meaning in this keychain.
    package let here: String
    /// The differences on Apple's platforms; empty if there are none.
    package let onApplePlatforms: String
    /// The trees with which the doctor begins.
    package let trees: String

    package static let all = [
        StatusMeaning(
            status: .duplicateItem,
            here:
                "An add, or an update that changes the primary key, meets an item that has the key already. The access group and "
                + "kSecAttrSynchronizable belong to the key; label, protection and the secret do not.",
            onApplePlatforms: "",
            trees: "T1"
        ),
        StatusMeaning(
            status: .itemNotFound,
            here: "No item that the client can see meets every attribute of the query. A limit of 0 gives the same.",
            onApplePlatforms:
                "On a Mac, without kSecUseDataProtectionKeychain, it may stand for a locked item or for any other error "
                + "of the data protection keychain.",
            trees: "T2, T5"
        ),
        StatusMeaning(
            status: .interactionNotAllowed,
            here: "The item's keys are locked, or it requires authentication and interaction is not allowed.",
            onApplePlatforms: "On a machine for continuous integration a locked file-based keychain gives it as well.",
            trees: "T3, T6"
        ),
        StatusMeaning(
            status: .missingEntitlement,
            here: "The client has no access group, names one that it does not have, or sets a private attribute.",
            onApplePlatforms: "What counts is the signature of the program that runs, not the entitlements file.",
            trees: "T4"
        ),
        StatusMeaning(
            status: .noSuchAttribute,
            here: "The class does not have an attribute of the dictionary.",
            onApplePlatforms: "The file-based keychain of macOS ignores such an attribute.",
            trees: "T7"
        ),
        StatusMeaning(
            status: .parameter,
            here:
                "A dictionary is not valid: a key that the function does not take, a value of a wrong type, a missing class.",
            onApplePlatforms: "The front end of macOS removes some keys first, so that fewer calls fail.",
            trees: "C01"
        ),
        StatusMeaning(
            status: .noSuchClass,
            here: "kSecClass is none of the five classes, or contradicts the persistent reference.",
            onApplePlatforms: "",
            trees: "C01"
        ),
        StatusMeaning(
            status: .unimplemented,
            here: "A match key is for other classes.",
            onApplePlatforms: "",
            trees: "C01"
        ),
        StatusMeaning(
            status: .decode,
            here: "A number of the dictionary is not whole; or a stored item is damaged.",
            onApplePlatforms: "",
            trees: "C01"
        ),
        StatusMeaning(
            status: .authenticationFailed,
            here:
                "The user was not recognized, or another set of faces or fingers is enrolled than biometryCurrentSet was bound to.",
            onApplePlatforms:
                "On a Mac, a locked file-based keychain returns it if the prompt is not answered. For a changed set it is not "
                + "settled whether it is this status or errSecItemNotFound.",
            trees: "C11, T6"
        ),
        StatusMeaning(
            status: .userCanceled,
            here: "The user cancelled.",
            onApplePlatforms: "",
            trees: "none: the status says it"
        ),
        StatusMeaning(
            status: .notAvailable,
            here: "The store cannot be used, or an item of WhenPasscodeSet is added without a passcode.",
            onApplePlatforms: "",
            trees: "none: the reason says it"
        ),
        StatusMeaning(
            status: .success,
            here: "The call did what its dictionary says, which is not always what was meant.",
            onApplePlatforms: "The simulator keeps neither levels nor access controls.",
            trees: "5"
        ),
    ]
}
