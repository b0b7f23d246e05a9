// SPDX-License-Identifier: Apache-2.0

/// The name of an access group: a prefix (a team or an App ID prefix), and a suffix.
///
/// `group.` of application groups is not a prefix.
struct GroupName {
    let name: String

    init(_ name: String) { self.name = name }

    /// Whether it is the name of an application group.
    var isApplicationGroup: Bool { name.hasPrefix("group.") }

    /// The part after the first component; `nil` for a name without a prefix.
    var suffix: String? {
        guard !isApplicationGroup, let dot = name.firstIndex(of: ".") else { return nil }
        let rest = name[name.index(after: dot)...]
        return rest.isEmpty ? nil : String(rest)
    }

    /// The entry of a list that is this name with a prefix.
    func prefixed(in groups: [String]) -> String? { groups.first { GroupName($0).suffix == name } }

    /// The entry of a list that has the same suffix with another prefix.
    func underAnotherPrefix(in groups: [String]) -> String? {
        guard let suffix else { return nil }
        return groups.first { $0 != name && GroupName($0).suffix == suffix }
    }
}
