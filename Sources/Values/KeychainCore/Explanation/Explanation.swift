// SPDX-License-Identifier: Apache-2.0

/// Why a call of an item function gives what it gives: the plan of the real call, with every check and every term
/// evaluated.
///
/// A plain value without a secret's bytes. It tells facts; what they mean is for whoever reads it.
package struct Explanation: Sendable, Hashable {
    /// Which function; of a set that of its update.
    package var function: ItemFunction

    /// Whose items it covers.
    package var scope: ExplanationScope

    /// The device at the time.
    package var device: ExplainedDevice

    /// The client's access groups, as the rules take them.
    package var groups: ExplainedGroups

    /// Every check that the request does not pass, in the order in which they count; the first is the answer.
    ///
    /// Of a set, those of its update and then those of its add.
    package var faults: [ExplainedFault]

    /// What the call would answer now, once the user has shown whatever it asks for: success, or the error.
    package var error: KeychainError?

    /// What the user would be asked before; `nil` when nobody is asked, because nothing asks or because the call fails
    /// before.
    package var authentication: ExplainedAuthentication?

    /// How items are searched for; none of an add, and none where the class of the query is not known.
    ///
    /// Of a set it is that of its update. A search for identities is one, of the class of identities, whose items are
    /// pairs.
    package var search: ExplainedSearch?

    /// What an add would store; none of other functions, and none where the request does not say what.
    ///
    /// Of an identity these are the certificate and the key.
    package var additions: [ExplainedAddition] = []

    /// What an update would set.
    package var update: ExplainedUpdate?

    /// The items that an update or a delete would change or remove; of a call that would fail, those that it came to
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
    /// What the call answers when no earlier check fails.
    ///
    /// Its subject is the key that is wrong, where it is one alone.
    package var error: KeychainError

    /// The key that is wrong, where it is one alone.
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
    /// Whether keys are given out.
    package var lockState: LockState
    /// Whether a passcode is set.
    package var hasPasscode: Bool
    /// The protection levels whose keys are there now; reading and changing an item takes its level's, deleting none.
    package var availableLevels: Set<Accessibility>
    /// The biometry: of which kind, whether something is enrolled, and which set.
    package var biometry: Biometry
    /// Whether access controls are kept; not on a simulator.
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
    /// Where an add without a group stores; `nil` for a client that may not write to any.
    package var `default`: String?
    /// Where the call looks: the group that it names, or else the list without what it may not change; `nil` for every
    /// group.
    package var searched: [String]?

    /// Groups.
    package init(list: [String], default: String?, searched: [String]?) {
        self.list = list
        self.default = `default`
        self.searched = searched
    }
}

/// What a user would be asked before a call goes on.
package struct ExplainedAuthentication: Sendable, Hashable {
    /// The access controls that have to be satisfied, each once.
    package var accessControls: [AccessControl]
    /// Whether the password of items under an application password has to be typed.
    package var asksForApplicationPassword: Bool
    /// Whether an application password has to be chosen, for what is to be stored.
    package var asksForNewApplicationPassword: Bool
    /// Why nobody is asked after all, or why no answer could help: the call fails with its status; `nil` when somebody
    /// is asked.
    package var obstacle: AuthenticationFailure?

    /// What comes of a question.
    package enum Answer: Sendable, Hashable, CaseIterable {
        /// The user shows what is asked for.
        case shows
        /// The user is not recognized, or types a wrong secret.
        case fails
        /// The user cancels.
        case cancels
        /// Nobody can be asked, as in the background.
        case nobody
    }

    /// What is asked.
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
