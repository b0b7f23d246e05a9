// SPDX-License-Identifier: Apache-2.0

// The verdicts if an item already exists.
extension VerdictTable {
    static let duplicate = [
        VerdictRow(
            .duplicateAfterMissedDelete,
            at: "T1.2",
            headline: "The delete before this add did not reach the item that is in the way",
            meaning:
                "An earlier delete was meant for the item that holds the primary key, and its query did not match it."
        )
        .advising(.updateItem, "Update the item with a query of its key attributes instead of deleting and adding it.")
        .asking(
            "Should the new value replace the old one?",
            because: "a delete before an add often stands for an update",
            yes: "use SecItemUpdate, and SecItemAdd only where it finds nothing",
            no: "give the new item another account"
        )
        .citing("lint:delete-then-add", "doctor:T1"),
        VerdictRow(
            .duplicateOtherEntitledGroup,
            at: "T1.2",
            headline: "The key is taken in the access group {group}, and the look-up was in another one",
            meaning: "Reading and writing use different access groups of the same client."
        )
        .advising(.changeQuery, "Name the access group {group} in both the look-up and the write.")
        .asking(
            "In which access group should the item be?",
            because: "an item of the same key may be in each group",
            yes: "name that group in every call",
            no: "leave the group out of reads, and name it in writes"
        )
        .citing("lint:access-group-asymmetric", "doctor:T1"),
        VerdictRow(
            .duplicateSyncScope,
            at: "T1.2",
            headline: "The key is taken by an item that the look-up ignores, because of kSecAttrSynchronizable",
            meaning:
                "A query without kSecAttrSynchronizable means local items alone, and a write may mean the other kind."
        )
        .advising(.changeQuery, "Set kSecAttrSynchronizable in both, or look for kSecAttrSynchronizableAny.")
        .citing("lint:synchronizable-scope-mismatch", "doctor:T1"),
        VerdictRow(
            .duplicateNonKeyLookup,
            at: "T1.2",
            headline: "The look-up filters on {attribute}, which does not tell items of this key apart",
            meaning:
                "The query of the look-up names an attribute that is no part of the primary key, or a key attribute in another format: "
                + "it finds nothing, and the add meets the item nevertheless."
        )
        .advising(.changeQuery, "Look up by key attributes alone; update what is found, and add only where nothing is.")
        .asking(
            "Is {attribute} meant to tell items apart?",
            because: "the keychain keeps one item of a primary key, whatever that attribute is",
            yes: "put it into the account or the service",
            no: "leave it out of the look-up"
        )
        .citing("lint:narrowing-attribute-in-query", "doctor:T1"),
        VerdictRow(
            .duplicateDerivedKey,
            at: "T1.4",
            headline: "The key or certificate in kSecValueRef is stored already",
            meaning:
                "The primary key comes from the reference itself: the hash of a key, or issuer and serial number of a certificate."
        )
        .advising(.updateItem, "Take the item that is there, or update its label with a query by kSecValueRef.")
        .citing("doctor:T1"),
        VerdictRow(
            .duplicateEmptyKeyColumn,
            at: "T1.5",
            headline: "Neither item sets {attribute}, so they share the empty value",
            meaning:
                "An identifying attribute that an add does not set is stored empty, and is a part of the primary key all the same."
        )
        .advising(.changeAttributes, "Set {attribute} in this add, and in every query for the item.")
        .asking(
            "Should the new value replace the old one, or are these two things?",
            because: "both have the same primary key",
            yes: "update the item that is there",
            no: "set {attribute} to different values"
        )
        .citing("lint:add-incomplete-primary-key", "doctor:T1"),
        VerdictRow(
            .duplicateExists,
            at: "T1.6",
            headline: "An item with this primary key is stored already",
            meaning:
                "An add never replaces an item. The access group and kSecAttrSynchronizable belong to the primary key; label, comment, "
                + "protection and the secret do not."
        )
        .advising(.updateItem, "Update the item with a query of its key attributes.")
        .asking(
            "Should the new value replace the old one, or are these two things that need two accounts?",
            because: "both have the same primary key",
            yes: "use SecItemUpdate",
            no: "give the new item another account or service"
        )
        .warning("Do not delete the item and add it again: the update is one step, and keeps what other programs set.")
        .citing("lint:swallowed-duplicate-item", "doctor:T1"),
        VerdictRow(
            .duplicateUnexplained,
            at: "T1.7",
            headline: "An item that cannot be opened now holds the primary key",
            meaning: "The item that is in the way does not open, so that nothing can be said of its values."
        )
        .advising(.unlock, "Unlock the device, and look again.")
        .warning("Do not delete the item: its contents have not been read.")
        .citing("doctor:T1"),
    ]
}
