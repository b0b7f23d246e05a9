// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The kind of owner of an access group, according to its name.
enum GroupOwner: Sendable, Hashable {
    /// `TEAMID.…`: programs that the team has signed.
    case team
    /// `flatpak/…`, `snap/…`, `systemd/…`: the application or service that the system reports.
    case sandbox
    /// None: every program that claims the group gets it.
    case nobody

    init(of group: String) {
        let isSandbox = Self.sandboxes.contains { group.utf8.starts(with: "\($0)/".utf8) }
        self = TeamIdentifier.isTeamGroup(group) ? .team : isSandbox ? .sandbox : .nobody
    }

    static let sandboxes = ["flatpak", "snap", "systemd"]
}
