// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// One line of a case file: steps that are run in order on an empty keychain.
///
/// Only the frame is decoded here. The steps stay JSON until the case is run, so that a step that nobody understands
/// is a failure of this case and not of the whole file.
package struct Case: Sendable, Equatable {
    /// Unique in its file, for example `add-001`.
    package var id: String
    /// The rule that the case shows, as a sentence without a full stop.
    package var title: String
    /// The group of rules that the case belongs to.
    package var topic: String
    /// Where the expectation comes from.
    package var source: String
    /// `dp-ios` when the line does not say.
    package var profile: String
    /// Which subjects cannot answer so, and why, for example `daemon and system only: no program there has every
    /// group`; `nil` for none.
    package var differs: String?
    /// What is done and expected.
    package var steps: [JSONValue]
}

extension Case: Decodable {
    private enum CodingKeys: String, CodingKey {
        case id
        case title
        case topic
        case source
        case profile
        case differs
        case steps
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        title = try members.decodeIfPresent(String.self, forKey: .title) ?? ""
        topic = try members.decodeIfPresent(String.self, forKey: .topic) ?? ""
        source = try members.decodeIfPresent(String.self, forKey: .source) ?? ""
        profile = try members.decodeIfPresent(String.self, forKey: .profile) ?? CaseProfile.iOS.rawValue
        differs = try members.decodeIfPresent(String.self, forKey: .differs)
        steps = try members.decode([JSONValue].self, forKey: .steps)
    }
}

/// Which front end a case speaks of.
package enum CaseProfile: String, Sendable, CaseIterable {
    /// The dictionaries reach the keychain unmodified.
    case iOS = "dp-ios"
    /// The macOS front end removes some members first.
    case macOS = "dp-macos"
}
