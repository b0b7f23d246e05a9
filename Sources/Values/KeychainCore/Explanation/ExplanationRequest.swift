// SPDX-License-Identifier: Apache-2.0

/// A call of an item function that is to be explained, not performed.
///
/// Explaining shows no prompt, opens no secret, and changes neither items nor dates.
package struct ExplanationRequest: Sendable, Hashable {
    /// The call, with the client that makes it.
    package var call: KeychainRequest

    /// The amount of detail.
    package var options: ExplanationOptions

    /// A call to explain.
    package init(_ call: KeychainRequest, _ options: ExplanationOptions = ExplanationOptions()) {
        self.call = call
        self.options = options
    }
}

/// The amount of detail in an explanation.
package struct ExplanationOptions: Sendable, Hashable {
    /// Whose items appear.
    package var scope: ExplanationScope

    /// The most items that each list of the explanation has; counts are always of all of them.
    package var itemLimit: Int

    /// Whether every item in scope is opened, to find those that differ from the query only in format (letter case,
    /// spaces).
    ///
    /// With `nil`, the keychain decides: it opens all of them if there are not too many, or if no item matches any
    /// attribute in the query.
    package var comparesEveryItem: Bool?

    /// The state of the device for the explanation; `nil` for the current one.
    ///
    /// Keys that are locked now are locked in every state: a locked keychain cannot be explained as an unlocked one.
    /// For ``KeychainCommand/explain(_:)`` alone.
    package var lockState: LockState?

    /// The time for the explanation of conditions on dates; `nil` for now.
    ///
    /// The items are the current ones. For ``KeychainCommand/explain(_:)`` alone.
    package var now: Timestamp?

    /// Whether a call that is performed and succeeds is explained as well; one that fails always is.
    ///
    /// If not, a call that succeeds has no extra cost. For ``KeychainCommand/itemsExplained(_:)`` alone.
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
    /// Every item of the store: for its owner. A service for several clients refuses this to an ordinary one
    /// (``CommandRow/Right/owner``).
    case owner = 2
}

/// The result of a call that was performed and explained, on the state before it, in one transaction.
package struct ExplainedOutcome: Sendable, Hashable {
    /// The explanation, on the state before the call; `nil` for a success that was not to be explained, and if the
    /// keychain cannot be read any more.
    package var explanation: Explanation?
    /// The result of the call, or its failure.
    package var result: Result<KeychainAnswer, KeychainError>

    /// An outcome.
    package init(_ explanation: Explanation?, _ result: Result<KeychainAnswer, KeychainError>) {
        self.explanation = explanation
        self.result = result
    }
}
