// SPDX-License-Identifier: Apache-2.0

/// A search of a call, with each of its terms evaluated on the items in scope.
///
/// Terms go by their index in ``terms``. A term on an attribute that the class of an item does not have is passed over:
/// the item neither meets nor fails it.
package struct ExplainedSearch: Sendable, Hashable {
    /// The class that is looked for.
    package var itemClass: ItemClass

    /// Every term; the first is the class.
    package var terms: [ExplainedTerm]

    /// How many items may be returned.
    package var limit: Limit

    /// Whether the query says how many.
    package var hasExplicitLimit: Bool

    /// The return keys that are true, such as `r_Data`, in alphabetical order.
    package var returns: [String]

    /// What the query says of items that ask the user (`kSecUseAuthenticationUI`).
    package var authenticationUI: AuthenticationUI

    /// How many items of each class are in scope, damaged ones that were set aside not counted; of identities, pairs
    /// where one was looked for.
    package var population: [ItemClass: Int]

    /// How many items meet every term that the store can judge (``ExplainedTerm/isJudgedByStore``).
    package var matchCount: Int

    /// How many items fail exactly a set of the terms that the store can judge, of all items in scope; most items
    /// first.
    ///
    /// So the counts of what matches when some terms are dropped are exact, however few items are listed.
    package var patterns: [Pattern]

    /// The items that come nearest, at most as many as were asked for: those that match first, then those that fail
    /// fewer terms; equal ones in the order of the store.
    ///
    /// Only items of which an attribute that the query names is equal or differs in format only, or all of the class
    /// where the query names none. Where a term can be judged of an open item alone, some of those that match may have
    /// failed it.
    package var candidates: [ExplainedItem]

    /// Whether there are more candidates than are listed.
    package var isBounded: Bool

    /// Whether every item in scope was opened, as far as its keys are there, so that no candidate is missing that
    /// differs in format only.
    package var comparesEveryItem: Bool

    /// Certificates and private keys that are in no pair, of a search for identities, within the bound.
    package var loneHalves: [ExplainedItem] = []

    /// How many items may be returned.
    package enum Limit: Sendable, Hashable {
        /// One value, not in a list: the default of a copy.
        case one
        /// A list of at most so many; 0 never finds anything.
        case atMost(Int)
        /// A list of all.
        case all
    }

    /// What a query says of items that ask the user; raw values are part of messages.
    package enum AuthenticationUI: UInt8, Sendable, Hashable {
        /// The user is asked.
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
    /// The key by which a report names it: `class`, a column such as `acct`, `agrp` for the client's groups as well,
    /// `sync`, `v_PersistentRef`, `m_…`; `pdmn` for what a passcode that was removed took away, too.
    package var key: String

    /// What kind of condition it is.
    package var kind: Kind

    /// The value that is asked for, as it is converted for the comparison; `nil` where there is none, as of a condition
    /// on a certificate, or where there are several.
    package var value: AttributeValue?

    /// The groups, of a search in the client's list.
    package var groups: [String]?

    /// Whether the query says it, or a reference in it; not what it implies, such as the client's groups, and
    /// synchronizable where nothing is said.
    package var isGiven: Bool

    /// How many items in scope fail it, whatever else they fail; 0 of a term that only an open item can answer.
    package var ruledOut: Int

    /// How many items in scope fail it alone: so many more would match without it.
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
        /// What was given has no influence on which items match.
        case ignored = 10
        /// Nothing meets what was given, for example the form of reference that is never handed out.
        case nothing = 11
    }

    /// Whether the store can judge it, without opening an item.
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
