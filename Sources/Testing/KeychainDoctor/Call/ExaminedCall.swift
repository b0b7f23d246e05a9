// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// One call of an item function, as it failed or surprised, and what is known of its surroundings.
///
/// What is not given is unknown: a check that needs it says so.
package struct ExaminedCall: Sendable {
    /// Who called, and with which dictionaries.
    package var request: KeychainRequest

    /// The name of the client in the history.
    package var clientName = "app"

    /// Whether the client was given, or taken for granted.
    package var clientSource = Source.given

    /// What the program runs on.
    package var platform = Platform.iOS

    /// Whether the call was made in the background, where nobody can be asked.
    package var isBackground = false

    /// Whether it was made on a machine for continuous integration, where nobody can be asked either.
    package var isContinuousIntegration = false

    /// What the caller takes the result for.
    package var expectedResult: ResultType?

    /// What happened before the call; `nil` when nobody wrote it down.
    package var history: CallHistory?

    /// The access groups of the client before the program was updated.
    package var previousGroups: [String]?

    /// The access groups of another program that is to share the item.
    package var otherGroups: [String]?

    /// The file-based keychain of a Mac.
    package var fileKeychain = FileKeychain.unknown

    /// The state of the device at the call; `nil` for the one that it is in.
    package var lockState: LockState?

    /// When the call was made; `nil` for now.
    package var time: Timestamp?

    /// Whether the device has a passcode; `nil` for what the keychain says, which on a simulator always has one.
    package var hasPasscode: Bool?

    /// The keys of the query, and of an update's new attributes, whose values are not known, so that they are not in
    /// the dictionaries: those of variables in a text, and those that a trace hides.
    package var unknownKeys: Set<String> = []
    package var unknownAttributeKeys: Set<String> = []

    /// The status that the caller saw; `nil` for that of the replay.
    package var reportedStatus: Status?

    /// A call of which nothing else is known.
    package init(_ request: KeychainRequest) { self.request = request }

    /// Where a value comes from.
    package enum Source: String, Sendable {
        /// The user or the trace said it.
        case given
        /// It was taken for granted.
        case assumed
    }

    /// What a program runs on, as far as the keychain behaves differently.
    package enum Platform: String, Sendable, CaseIterable {
        /// A phone or a tablet.
        case iOS = "ios"
        /// A Mac, with a native program.
        case macOS = "macos"
        /// A Mac, with a program that was made for the iPad.
        case catalyst
        /// The simulator of iOS.
        case simulator
    }

    /// Whether nobody can be asked, whatever the query says.
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

/// What a caller can take a result for.
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
    /// Anything that is there.
    case any
}
