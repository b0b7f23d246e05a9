// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// To whom the name of an access group says that it belongs.
enum GroupOwner: Sendable, Hashable {
    /// `TEAMID.…`: to programs that the team has signed.
    case team
    /// `flatpak/…`, `snap/…`, `systemd/…`: to what the system says that it is.
    case sandbox
    /// To nobody: to every program that says it has the group.
    case nobody

    init(of group: String) {
        let isSandbox = Self.sandboxes.contains { group.utf8.starts(with: "\($0)/".utf8) }
        self = TeamIdentifier.isTeamGroup(group) ? .team : isSandbox ? .sandbox : .nobody
    }

    static let sandboxes = ["flatpak", "snap", "systemd"]
}
