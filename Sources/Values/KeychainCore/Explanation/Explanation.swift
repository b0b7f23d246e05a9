// SPDX-License-Identifier: Apache-2.0

/// The explanation of a call's result: the plan of the real call, with every check and every term evaluated.
///
/// A plain value without a secret's bytes. It contains facts; their interpretation is up to the reader.
package struct Explanation: Sendable, Hashable {
    /// Which function; of a set that of its update.
    package var function: ItemFunction

    /// Whose items it covers.
    package var scope: ExplanationScope

    /// The device at the time.
    package var device: ExplainedDevice

    /// The client's access groups, in the form that the rules use.
    package var groups: ExplainedGroups

    /// Every check that the request fails, in the order of precedence; the first determines the result.
    ///
    /// For a set, those of its update and then those of its add.
    package var faults: [ExplainedFault]

    /// The result of the call in the current state, after the user has shown everything that it requires: success, or
    /// the error.
    package var error: KeychainError?

    /// The prompt before that; `nil` if there is none, because nothing requires it or because the call fails before.
    package var authentication: ExplainedAuthentication?

    /// How items are searched for; `nil` for an add, and if the class of the query is unknown.
    ///
    /// For a set, it is that of its update. A search for identities is one, of the class of identities, whose items are
    /// pairs.
    package var search: ExplainedSearch?

    /// The items that an add would store; none for other functions, and if the request does not specify them.
    ///
    /// For an identity, these are the certificate and the key.
    package var additions: [ExplainedAddition] = []

    /// The changes of an update.
    package var update: ExplainedUpdate?

    /// The items that an update or a delete would change or remove; for a call that would fail, those that it reached
    /// first.
    package var effect: ExplainedEffect?

    /// An explanation.
    package init(
        function: ItemFunction,
        scope: ExplanationScope,
        device: ExplainedDevice,
        groups: ExplainedGroups,
        faults: [ExplainedFault] = [],
        error: KeychainError? = nil,
        authentication: ExplainedAuthentication? = nil,
        search: ExplainedSearch? = nil,
        additions: [ExplainedAddition] = [],
        update: ExplainedUpdate? = nil,
        effect: ExplainedEffect? = nil
    ) {
        self.function = function
        self.scope = scope
        self.device = device
        self.groups = groups
        self.faults = faults
        self.error = error
        self.authentication = authentication
        self.search = search
        self.additions = additions
        self.update = update
        self.effect = effect
    }

    /// The status that the call would answer now, by what comes of the questions to the user.
    package func status(ifAsked answer: ExplainedAuthentication.Answer = .shows) -> Status {
        guard let authentication else { return error?.status ?? .success }
        if let obstacle = authentication.obstacle { return KeychainError(obstacle).status }
        switch answer {
        case .shows: return error?.status ?? .success
        case .fails: return .authenticationFailed
        case .cancels: return .userCanceled
        case .nobody: return .interactionNotAllowed
        }
    }
}

/// A check that a request does not pass.
package struct ExplainedFault: Sendable, Hashable {
    /// The check.
    package var check: RequestCheck
    /// Which dictionary: of a set's add, ``RequestPart/query``.
    package var part: RequestPart
    /// Whether it is the add of a set that does not pass.
    package var isOfAddition: Bool
    /// The error of the call if no earlier check fails.
    ///
    /// Its subject is the wrong key, if it is a single one.
    package var error: KeychainError

    /// The wrong key, if it is a single one.
    package var key: String? { error.subject }

    /// A fault.
    package init(check: RequestCheck, part: RequestPart, isOfAddition: Bool = false, error: KeychainError) {
        self.check = check
        self.part = part
        self.isOfAddition = isOfAddition
        self.error = error
    }
}

/// The device at the time of a call.
package struct ExplainedDevice: Sendable, Hashable {
    /// Whether keys are available.
    package var lockState: LockState
    /// Whether a passcode is set.
    package var hasPasscode: Bool
    /// The accessibilities with available keys; reading and changing an item requires its own, deleting requires none.
    package var availableLevels: Set<Accessibility>
    /// The biometry: its kind, whether something is enrolled, and the set.
    package var biometry: Biometry
    /// Whether access controls are enforced; not on a simulator.
    package var enforcesAccessControl: Bool
    /// The time of the call, for conditions on dates.
    package var now: Timestamp

    /// A device.
    package init(
        lockState: LockState,
        hasPasscode: Bool,
        availableLevels: Set<Accessibility>,
        biometry: Biometry,
        enforcesAccessControl: Bool,
        now: Timestamp
    ) {
        self.lockState = lockState
        self.hasPasscode = hasPasscode
        self.availableLevels = availableLevels
        self.biometry = biometry
        self.enforcesAccessControl = enforcesAccessControl
        self.now = now
    }
}

/// The access groups of a client.
package struct ExplainedGroups: Sendable, Hashable {
    /// The client's list, in its order.
    package var list: [String]
    /// The group for an add that specifies none; `nil` for a client without write access to any.
    package var `default`: String?
    /// The groups that the call searches: the specified one, or else the list without groups that it may not change;
    /// `nil` for every group.
    package var searched: [String]?

    /// Groups.
    package init(list: [String], default: String?, searched: [String]?) {
        self.list = list
        self.default = `default`
        self.searched = searched
    }
}

/// The prompt that a user would get before a call continues.
package struct ExplainedAuthentication: Sendable, Hashable {
    /// The access controls that have to be satisfied, each once.
    package var accessControls: [AccessControl]
    /// Whether the password of items under an application password has to be typed.
    package var asksForApplicationPassword: Bool
    /// Whether an application password has to be chosen, for what is to be stored.
    package var asksForNewApplicationPassword: Bool
    /// Why there is no prompt, or why no answer could help: the call fails with its status; `nil` if there is a prompt.
    package var obstacle: AuthenticationFailure?

    /// The result of a prompt.
    package enum Answer: Sendable, Hashable, CaseIterable {
        /// The user shows what is required.
        case shows
        /// The user is not recognized, or types a wrong secret.
        case fails
        /// The user cancels.
        case cancels
        /// Prompts are impossible, as in the background.
        case nobody
    }

    /// The subject of the prompt.
    package init(
        accessControls: [AccessControl] = [],
        asksForApplicationPassword: Bool = false,
        asksForNewApplicationPassword: Bool = false,
        obstacle: AuthenticationFailure? = nil
    ) {
        self.accessControls = accessControls
        self.asksForApplicationPassword = asksForApplicationPassword
        self.asksForNewApplicationPassword = asksForNewApplicationPassword
        self.obstacle = obstacle
    }
}
