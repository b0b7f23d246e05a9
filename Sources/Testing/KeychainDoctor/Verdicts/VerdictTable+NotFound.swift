// SPDX-License-Identifier: Apache-2.0

// The verdicts if nothing is found.
extension VerdictTable {
    static let notFound = [
        VerdictRow(
            .danglingReference,
            at: "T2.2",
            headline: "The persistent reference leads to no item any more",
            meaning:
                "A persistent reference lives as long as its item. One that is deleted and added again gets another reference."
        )
        .advising(.changeQuery, "Find the item by its key attributes, and keep the new reference.")
        .citing("doctor:T2"),
        VerdictRow(
            .addNeverSucceeded,
            at: "T2.3",
            headline: "The item was never stored: its add failed with {status}",
            meaning: "The history has an add of this item, and none that succeeded."
        )
        .advising(.create, "Find out why the add failed, check its status, and store the item again.")
        .citing("lint:ignored-osstatus", "doctor:T2"),
        VerdictRow(
            .wasDeleted,
            at: "T2.3",
            headline: "The item was stored, and {client} deleted it",
            meaning: "The history has a delete that matched the item."
        )
        .advising(.create, "Store the item again; narrow the delete if it took more than it was meant to.")
        .asking(
            "Was the item meant to go?",
            because: "the delete matched it",
            yes: "treat errSecItemNotFound as an answer",
            no: "give the delete every key attribute"
        )
        .citing("lint:delete-incomplete-primary-key", "doctor:T2"),
        VerdictRow(
            .identityHalfMissing,
            at: "T2.4",
            headline: "There is no identity, because its {half} is missing",
            meaning:
                "An identity is a certificate and a private key whose application label is the certificate's public key hash. "
                + "A half that was added as data alone has no such label."
        )
        .advising(.create, "Add the missing {half} by kSecValueRef, or import the PKCS #12 file again.")
        .citing("lint:import-key-via-value-data", "doctor:T2"),
        VerdictRow(
            .neverStored,
            at: "T2.4",
            headline: "Nothing like this is stored",
            meaning: "No item of any class and any access group comes near to what the query asks for."
        )
        .advising(.create, "Store the item first, and check the status of the add.")
        .asking(
            "Was the item ever stored on this device?",
            because: "nothing in the store comes near",
            yes: "look for a delete, another keychain, or another user",
            no: "errSecItemNotFound is the right answer"
        )
        .citing("doctor:T2"),
        VerdictRow(
            .ambiguousIntent,
            at: "T2.5",
            headline: "Several items may be meant, or none clearly",
            meaning: "Only you can say which item was meant."
        )
        .asking(
            "Is one of these items the one that you mean?",
            because: "nothing in the query tells",
            yes: "use its key attributes in the query",
            no: "the item that you mean is not stored"
        )
        .citing("doctor:T2"),
        VerdictRow(
            .classMismatch,
            at: "T2.6",
            headline: "The item is stored under another class: {class}",
            meaning: "Items of different classes never match, whatever else they have in common."
        )
        .advising(.changeQuery, "Look for kSecClass {class}.")
        .asking(
            "Is {class} the class that the item should have?",
            because: "reads and writes have to name the same",
            yes: "use {class} everywhere",
            no: "move it: add it under the other class first, then change the reads"
        )
        .citing("doctor:T2"),
        VerdictRow(
            .attributeNarrows,
            at: "T2.6",
            headline: "{attribute} in the query excludes the item that you stored",
            meaning:
                "Every attribute in a query must be equal. An attribute that an item does not have is equal to nothing, not even to an "
                + "empty value."
        )
        .advising(.changeQuery, "Drop or correct {attribute}.")
        .asking(
            "Is {attribute} in the query a requirement, or a leftover?",
            because: "the key attributes name the item without it",
            yes: "store the item with this value",
            no: "leave it out"
        )
        .citing("lint:narrowing-attribute-in-query", "doctor:T2"),
        VerdictRow(
            .attributeFormat,
            at: "T2.6",
            headline: "{attribute} differs from the stored value in its format only: {relation}",
            meaning:
                "Values compare byte for byte: letter case, white space, the encoding of characters and the type of a number all count."
        )
        .advising(.changeQuery, "Write {attribute} as it is stored, and bring it into one form before every call.")
        .citing("doctor:T2"),
        VerdictRow(
            .attributesNarrow,
            at: "T2.6",
            headline: "Several attributes exclude the item that you stored: {attribute}",
            meaning: "Every attribute in a query must be equal."
        )
        .advising(.changeQuery, "Drop or correct {attribute}; begin with the key attributes.")
        .citing("lint:narrowing-attribute-in-query", "doctor:T2"),
        VerdictRow(
            .groupAsymmetric,
            at: "T2.6",
            headline: "You stored the item in the access group {group}, and look for it in another one",
            meaning: "The add and the search of the same client use different access groups."
        )
        .advising(.changeQuery, "Name the same access group in the add and in the search.")
        .citing("lint:access-group-asymmetric", "doctor:T2"),
        VerdictRow(
            .groupExcludedByQuery,
            at: "T2.6",
            headline: "The item is in the access group {group}, and the query names another one",
            meaning: "A query that names a group looks in no other one."
        )
        .advising(.changeQuery, "Leave the access group out of the query, or name {group}.")
        .citing("doctor:T2"),
        VerdictRow(
            .groupNotEntitled,
            at: "T2.6",
            headline: "The item is in the access group {group}, which this client does not have",
            meaning: "Items of groups outside the client's list do not appear: not found, not an error of entitlements."
        )
        .advising(.changeEntitlements, "Add {group} to the keychain access groups of this program, and sign it again.")
        .asking(
            "Should this program see the item?",
            because: "its list of access groups leaves it out",
            yes: "add the group to its entitlements",
            no: "it is another program's item; store your own"
        )
        .warning("Do not add the item a second time: the first one stays where it is, out of reach.")
        .citing("lint:access-group-not-entitled", "doctor:T2"),
        VerdictRow(
            .syncScope,
            at: "T2.6",
            headline: "Local and synchronizable items are kept apart, and the query means the other kind",
            meaning: "A query without kSecAttrSynchronizable finds local items alone."
        )
        .advising(.changeQuery, "Set kSecAttrSynchronizable to the item's value, or to kSecAttrSynchronizableAny.")
        .citing("lint:synchronizable-scope-mismatch", "doctor:T2"),
        VerdictRow(
            .notFoundUnexplained,
            at: "T2.7",
            headline: "Nothing was found, and no predicate tells why",
            meaning: "The nearest items are listed."
        )
        .citing("doctor:T2"),
    ]
}
