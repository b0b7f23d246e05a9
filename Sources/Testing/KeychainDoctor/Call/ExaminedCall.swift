// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A failed or surprising call of an item function, with the known facts about its surroundings.
///
/// Facts that are not given are unknown: a check that needs one says so.
package struct ExaminedCall: Sendable {
    /// The client, and its dictionaries.
    package var request: KeychainRequest

    /// The name of the client in the history.
    package var clientName = "app"

    /// Whether the client was given or assumed.
    package var clientSource = Source.given

    /// The platform of the program.
    package var platform = Platform.iOS

    /// Whether the call was made in the background, where the user cannot be prompted.
    package var isBackground = false

    /// Whether it was made by continuous integration, where the user cannot be prompted either.
    package var isContinuousIntegration = false

    /// The type that the caller expects of the result.
    package var expectedResult: ResultType?

    /// The events before the call; `nil` if they were not recorded.
    package var history: CallHistory?

    /// The access groups of the client before the program was updated.
    package var previousGroups: [String]?

    /// The access groups of another program that is to share the item.
    package var otherGroups: [String]?

    /// The file-based keychain of a Mac.
    package var fileKeychain = KnownFileKeychain.unknown

    /// The state of the device at the call; `nil` for the one that it is in.
    package var lockState: LockState?

    /// When the call was made; `nil` for now.
    package var time: Timestamp?

    /// Whether the device has a passcode; `nil` to use the keychain's answer, which on a simulator is always true.
    package var hasPasscode: Bool?

    /// The keys of the query, and of an update's new attributes, that are not in the dictionaries because their values
    /// are unknown: those of variables in a text, and those that a trace hides.
    package var unknownKeys: Set<String> = []
    package var unknownAttributeKeys: Set<String> = []

    /// The status that the caller saw; `nil` for that of the replay.
    package var reportedStatus: Status?

    /// Creates a call without any further facts.
    package init(_ request: KeychainRequest) { self.request = request }

    /// The source of a value.
    package enum Source: String, Sendable {
        /// The user or the trace provided it.
        case given
        /// It was assumed.
        case assumed
    }

    /// The platform of a program, if the keychain behaves differently on it.
    package enum Platform: String, Sendable, CaseIterable {
        /// A phone or a tablet.
        case iOS = "ios"
        /// A Mac, with a native program.
        case macOS = "macos"
        /// A Mac, running a program made for the iPad.
        case catalyst
        /// The simulator of iOS.
        case simulator
    }

    /// Whether the user cannot be prompted, regardless of the query.
    package var isUnattended: Bool { isBackground || isContinuousIntegration }

    /// Which of the four functions it is.
    package var function: ItemFunction {
        switch request.operation {
        case .add: .add
        case .copyMatching: .copyMatching
        case .update, .set: .update
        case .delete: .delete
        }
    }

    /// The only dictionary, or the query of an update.
    package var query: PropertyDictionary {
        switch request.operation {
        case .add(let dictionary), .copyMatching(let dictionary), .delete(let dictionary): dictionary
        case .update(let query, _), .set(let query, _, _): query
        }
    }

    /// The new attributes of an update.
    package var attributes: PropertyDictionary? {
        switch request.operation {
        case .update(_, let attributes), .set(_, let attributes, _): attributes
        default: nil
        }
    }
}

/// The type that a caller can expect of a result.
package enum ResultType: String, Sendable, CaseIterable {
    case data
    case string
    case number
    case bool
    case date
    case array
    case dictionary
    case key
    case certificate
    case identity
    case accessControl
    /// Any existing item.
    case any
}
