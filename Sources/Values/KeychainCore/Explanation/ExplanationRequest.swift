// SPDX-License-Identifier: Apache-2.0

/// A call of an item function that is to be explained, not made.
///
/// Explaining asks nobody, opens no secret, changes nothing and moves no date.
package struct ExplanationRequest: Sendable, Hashable {
    /// The call, with the client that makes it.
    package var call: KeychainRequest

    /// How much is told.
    package var options: ExplanationOptions

    /// A call to explain.
    package init(_ call: KeychainRequest, _ options: ExplanationOptions = ExplanationOptions()) {
        self.call = call
        self.options = options
    }
}

/// How much an explanation tells.
package struct ExplanationOptions: Sendable, Hashable {
    /// Whose items appear.
    package var scope: ExplanationScope

    /// The most items that each list of the explanation has; counts are always of all of them.
    package var itemLimit: Int

    /// Whether every item in scope is opened, to find those that differ from the query in format only (letter case,
    /// spaces).
    ///
    /// `nil` leaves it to the keychain: it opens them all where there are not too many, or where no item matches any
    /// attribute that the query names.
    package var comparesEveryItem: Bool?

    /// The state of the device that the call is explained in; `nil` for the one that it is in.
    ///
    /// Keys that are locked now are locked in every state: a locked keychain cannot be explained as an unlocked one.
    /// For ``KeychainCommand/explain(_:)`` alone.
    package var lockState: LockState?

    /// The time that the call is explained as of, for conditions on dates; `nil` for now.
    ///
    /// The items are those of now. For ``KeychainCommand/explain(_:)`` alone.
    package var now: Timestamp?

    /// Whether a call that is made and succeeds is explained as well; one that fails always is.
    ///
    /// Where it is not, a call that succeeds costs what it costs without being explained. For
    /// ``KeychainCommand/itemsExplained(_:)`` alone.
    package var explainsSuccess: Bool

    /// The most that ``itemLimit`` may be; a larger one counts as this.
    package static let largestItemLimit = 10_000

    /// The defaults: the client's own items, two hundred in a list.
    package init(
        scope: ExplanationScope = .client,
        itemLimit: Int = 200,
        comparesEveryItem: Bool? = nil,
        lockState: LockState? = nil,
        now: Timestamp? = nil,
        explainsSuccess: Bool = true
    ) {
        self.scope = scope
        self.itemLimit = itemLimit
        self.comparesEveryItem = comparesEveryItem
        self.lockState = lockState
        self.now = now
        self.explainsSuccess = explainsSuccess
    }
}

/// Whose items an explanation covers; raw values are part of messages.
package enum ExplanationScope: UInt8, Sendable, Hashable, CaseIterable {
    /// The items in the client's own access groups. Those of other clients do not appear, not even in a count.
    case client = 1
    /// Every item of the store: for whoever owns it. A service for several clients refuses this to an ordinary one
    /// (``CommandRow/Right/owner``).
    case owner = 2
}

/// What came of a call that was made and explained, as of before it, in one transaction.
package struct ExplainedOutcome: Sendable, Hashable {
    /// The explanation, of the state that the call met; `nil` of a success that was not to be explained, and where the
    /// keychain cannot be read any more.
    package var explanation: Explanation?
    /// What the call gave, or why it failed.
    package var result: Result<KeychainAnswer, KeychainError>

    /// An outcome.
    package init(_ explanation: Explanation?, _ result: Result<KeychainAnswer, KeychainError>) {
        self.explanation = explanation
        self.result = result
    }
}
