// SPDX-License-Identifier: Apache-2.0

/// A search of a call, with each of its terms evaluated on the items in scope.
///
/// Terms are identified by their index in ``terms``. A term on an attribute that the class of an item does not have is
/// ignored: the item neither meets nor fails it.
package struct ExplainedSearch: Sendable, Hashable {
    /// The class that is looked for.
    package var itemClass: ItemClass

    /// Every term; the first is the class.
    package var terms: [ExplainedTerm]

    /// How many items may be returned.
    package var limit: Limit

    /// Whether the query specifies the limit.
    package var hasExplicitLimit: Bool

    /// The return keys that are true, such as `r_Data`, in alphabetical order.
    package var returns: [String]

    /// The query's setting for items that require a prompt (`kSecUseAuthenticationUI`).
    package var authenticationUI: AuthenticationUI

    /// The number of items of each class in scope, without damaged ones in quarantine; pairs of identities if one was
    /// searched for.
    package var population: [ItemClass: Int]

    /// The number of items that meet every term that the store can evaluate (``ExplainedTerm/isJudgedByStore``).
    package var matchCount: Int

    /// For each set of terms that the store can evaluate, the number of items in scope that fail exactly these terms;
    /// largest number first.
    ///
    /// So the numbers of matches without some of the terms are exact, even if few items are listed.
    package var patterns: [Pattern]

    /// The nearest items, up to the requested number: matches first, then those that fail fewer terms; equal ones in
    /// the order of the store.
    ///
    /// It contains only items of which an attribute in the query is equal or differs only in format, or all items of
    /// the class if the query has no attributes. If a term can be evaluated only on an open item, some of those that
    /// match may have failed it.
    package var candidates: [ExplainedItem]

    /// Whether there are more candidates than listed.
    package var isBounded: Bool

    /// Whether every item in scope with available keys was opened, so that no candidate is missing that differs only in
    /// format.
    package var comparesEveryItem: Bool

    /// Certificates and private keys that are in no pair, of a search for identities, within the bound.
    package var loneHalves: [ExplainedItem] = []

    /// How many items may be returned.
    package enum Limit: Sendable, Hashable {
        /// One value, not in a list: the default of a copy.
        case one
        /// A list with a maximum number of items; 0 never finds anything.
        case atMost(Int)
        /// A list of all.
        case all
    }

    /// A query's settings for items that require a prompt; raw values are part of messages.
    package enum AuthenticationUI: UInt8, Sendable, Hashable {
        /// The user is prompted.
        case allow = 1
        /// The call fails instead.
        case fail = 2
        /// Such items are left out.
        case skip = 3
    }

    /// A set of terms, and how many items of a class fail exactly these.
    package struct Pattern: Sendable, Hashable {
        /// The class of the items.
        package var itemClass: ItemClass
        /// The terms that they fail, by index, in order; empty for items that match.
        package var failed: [Int]
        /// How many items.
        package var count: Int

        /// A pattern.
        package init(itemClass: ItemClass, failed: [Int], count: Int) {
            self.itemClass = itemClass
            self.failed = failed
            self.count = count
        }
    }

    /// A search.
    package init(
        itemClass: ItemClass,
        terms: [ExplainedTerm],
        limit: Limit,
        hasExplicitLimit: Bool,
        returns: [String],
        authenticationUI: AuthenticationUI,
        population: [ItemClass: Int] = [:],
        matchCount: Int = 0,
        patterns: [Pattern] = [],
        candidates: [ExplainedItem] = [],
        isBounded: Bool = false,
        comparesEveryItem: Bool = false,
        loneHalves: [ExplainedItem] = []
    ) {
        self.itemClass = itemClass
        self.terms = terms
        self.limit = limit
        self.hasExplicitLimit = hasExplicitLimit
        self.returns = returns
        self.authenticationUI = authenticationUI
        self.population = population
        self.matchCount = matchCount
        self.patterns = patterns
        self.candidates = candidates
        self.isBounded = isBounded
        self.comparesEveryItem = comparesEveryItem
        self.loneHalves = loneHalves
    }
}

/// One condition of a search, and how many items it rules out.
package struct ExplainedTerm: Sendable, Hashable {
    /// The key by which a report identifies the term.
    ///
    /// It is `class`, a column such as `acct`, also `agrp` for the client's groups, `sync`, `v_PersistentRef`, or
    /// `m_…`; also `pdmn` for items that were destroyed with a passcode.
    package var key: String

    /// The kind of condition.
    package var kind: Kind

    /// The value to compare with, converted for the comparison; `nil` if there is none, as for a condition on a
    /// certificate, or if there are several.
    package var value: AttributeValue?

    /// The groups, of a search in the client's list.
    package var groups: [String]?

    /// Whether the query, or a reference in it, specifies it; not if it is implied, such as the client's groups, and
    /// synchronizability by default.
    package var isGiven: Bool

    /// The number of items in scope that fail it, regardless of other terms; 0 for a term that requires an open item.
    package var ruledOut: Int

    /// The number of items in scope that fail it alone: the additional matches without it.
    package var ruledOutAlone: Int

    /// Kinds of conditions; raw values are part of messages.
    package enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// The class.
        case itemClass = 1
        /// A persistent reference.
        case reference = 2
        /// An attribute has a value.
        case attribute = 3
        /// The access group that is named.
        case accessGroup = 4
        /// The client's access groups.
        case clientGroups = 5
        /// Synchronizable or not.
        case synchronizable = 6
        /// The protection level.
        case level = 7
        /// The item did not go with a passcode that was removed.
        case passcode = 8
        /// A match key, which only the open item can answer.
        case match = 9
        /// The given value has no influence on which items match.
        case ignored = 10
        /// Nothing can meet the given value, for example the form of reference that is never created.
        case nothing = 11
    }

    /// Whether the store can evaluate it without opening an item.
    package var isJudgedByStore: Bool { kind != .match }

    /// A term.
    package init(
        key: String,
        kind: Kind,
        value: AttributeValue? = nil,
        groups: [String]? = nil,
        isGiven: Bool = true,
        ruledOut: Int = 0,
        ruledOutAlone: Int = 0
    ) {
        self.key = key
        self.kind = kind
        self.value = value
        self.groups = groups
        self.isGiven = isGiven
        self.ruledOut = ruledOut
        self.ruledOutAlone = ruledOutAlone
    }
}
