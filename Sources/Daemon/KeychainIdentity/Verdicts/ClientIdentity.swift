// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The proved identity of a program, and the access groups that it owns because of it.
package struct ClientIdentity: Sendable, Hashable {
    /// The kind of proof.
    package enum Kind: Sendable, Hashable {
        /// A Flatpak application, by its name.
        case flatpak(String)
        /// A snap, by its name.
        case snap(String)
        /// A service of the system manager, by the name of its unit.
        case systemUnit(String)
        /// A program that a team has signed.
        case signed(TeamIdentifier)
        /// A program that a root-owned manifest names, by the manifest's file.
        case rootManifest(String)
        /// A program without a proved identity.
        case anonymous
    }

    /// The kind of proof.
    package let kind: Kind

    /// The application identifier; `nil` for an anonymous program.
    package let applicationIdentifier: String?

    /// The access groups that it owns, in order.
    package let ownedGroups: [String]

    /// The prefix of the further groups that it owns.
    package let ownedPrefix: String?

    /// Whether it gets no other groups, even if it claims them: a sandboxed program, and one with a manifest.
    package let isConfined: Bool

    /// Whether it is in a sandbox, so that it cannot read the user's files as other programs can: a Flatpak
    /// application, a snap, and any process with another view of the system than this one.
    package let isSandboxed: Bool

    /// Whether it has the rights of the keychain's owner.
    package let hasOwnerRights: Bool

    /// Whether it sees and changes the items of every program by their lookup attributes, as a manager of passwords
    /// does.
    package let hasManagerRights: Bool

    /// The groups that root-owned manifests make exclusive and do not grant to it.
    package let reservedGroups: Set<String>

    /// Why other proofs were rejected and what to do, each a sentence without a period.
    package let reasons: [String]

    /// Why it does not have an identity, or access groups, that its previous version had or that a manifest states, and
    /// what to do: a sentence without a period; `nil` if it lacks nothing.
    package let loss: String?

    /// An identity.
    package init(
        _ kind: Kind,
        applicationIdentifier: String? = nil,
        ownedGroups: [String] = [],
        ownedPrefix: String? = nil,
        isConfined: Bool = false,
        isSandboxed: Bool = false,
        hasOwnerRights: Bool = false,
        hasManagerRights: Bool = false,
        reservedGroups: Set<String> = [],
        reasons: [String] = [],
        loss: String? = nil
    ) {
        self.kind = kind
        self.applicationIdentifier = applicationIdentifier
        self.ownedGroups = ownedGroups
        self.ownedPrefix = ownedPrefix
        self.isConfined = isConfined
        self.isSandboxed =
            switch kind {
            case .flatpak, .snap: true
            case .systemUnit, .signed, .rootManifest, .anonymous: isSandboxed
            }
        self.hasOwnerRights = hasOwnerRights
        self.hasManagerRights = hasManagerRights
        self.reservedGroups = reservedGroups.subtracting(ownedGroups)
        self.reasons = reasons
        self.loss = loss
    }

    /// Whether its identity is proved.
    package var isKnown: Bool { kind != .anonymous }
}

// MARK: - Groups

extension ClientIdentity {
    /// Whether only programs with an identity can have a group, according to its name: those of teams and sandboxes.
    package static func isReserved(_ group: String) -> Bool { GroupOwner(of: group) != .nobody }

    /// The access groups of a program that claims these: first those that it owns, then the claimed ones that it may
    /// use, in its order.
    ///
    /// - Parameter claimed: the groups that the program's own library determined.
    /// - Returns: The groups, each once; never `*`.
    package func groups(claimed: [String]) -> [String] {
        var groups: [String] = []
        var seen: Set<[UInt8]> = []
        for group in ownedGroups + claimed.filter({ refusal(of: $0) == nil }) {
            if seen.insert(Array(group.utf8)).inserted { groups.append(group) }
        }
        return groups
    }

    /// Why a program does not get a group that it claims.
    ///
    /// - Parameters:
    ///   - group: the group.
    ///   - givesReasons: whether to add the ``reasons`` for which other proofs were rejected.
    /// - Returns: A sentence without a period, in which a long name is shortened; `nil` if the program gets the group.
    package func refusal(of group: String, givesReasons: Bool = true) -> String? {
        if owns(group) { return nil }
        if group == Client.everyGroup { return "no program gets every group" }
        let shown = group.shortened()
        let fix = reasons.isEmpty || !givesReasons ? "" : ": \(reasons.joined(separator: "; "))"
        switch GroupOwner(of: group) {
        case .team: return "'\(shown)' is reserved for programs that its team has signed for it\(fix)"
        case .sandbox: return "'\(shown)' is reserved for the sandbox or service that it names\(fix)"
        case .schedule: return "'\(shown)' is reserved for scheduled backups, whose secret no program gets"
        case .nobody: break
        }
        if reservedGroups.contains(group) {
            return "'\(shown)' is reserved for programs that a root-owned manifest grants it to"
        }
        // Items of hardware tokens are readable for every program.
        guard isConfined, group != PropertyKey.accessGroupToken else { return nil }
        let name = applicationIdentifier ?? "the program"
        return "'\(shown)' is not among the groups of \(name)\(isKnown ? "" : fix)"
    }

    /// The access groups of a manager of passwords: those that it would have without its rights first, then all others,
    /// but the one that no program gets.
    ///
    /// - Parameters:
    ///   - claimed: the groups that the program claims.
    ///   - stored: the groups that contain items.
    /// - Returns: The groups, each once; never `*`.
    package func managedGroups(claimed: [String], stored: [String]) -> [String] {
        var groups: [String] = []
        var seen: Set<[UInt8]> = [Array(Client.everyGroup.utf8)]
        for group in ownedGroups + claimed + stored where manages(group) {
            if seen.insert(Array(group.utf8)).inserted { groups.append(group) }
        }
        return groups
    }

    /// Whether a manager of passwords gets an access group.
    package func manages(_ group: String) -> Bool { GroupOwner(of: group) != .schedule }

    /// Whether an access group is the program's own.
    package func owns(_ group: String) -> Bool {
        ownedGroups.contains { $0.utf8.elementsEqual(group.utf8) }
            || ownedPrefix.map { group.utf8.starts(with: $0.utf8) } ?? false
    }

    /// The client of a request, restricted to what the program's identity permits.
    package func client(claimed: Client) -> Client {
        var client = claimed
        client.accessGroups = groups(claimed: claimed.accessGroups)
        // A network extension would have access to every group with that suffix, regardless of its owner.
        client.isNetworkExtension = false
        if let identifier = client.appClipIdentifier, refusal(of: identifier) != nil { client.accessGroups = [] }
        return client
    }
}

/// The kind of owner of an access group, according to its name.
enum GroupOwner: Sendable, Hashable {
    /// `TEAMID.…`: programs that the team has signed.
    case team
    /// `flatpak/…`, `snap/…`, `systemd/…`: the application or service that the system reports.
    case sandbox
    /// The keychain itself, for the secret of scheduled backups.
    case schedule
    /// None: every program that claims the group gets it.
    case nobody

    init(of group: String) {
        let isSandbox = Self.sandboxes.contains { group.utf8.starts(with: "\($0)/".utf8) }
        self =
            group == ScheduledBackup.accessGroup
            ? .schedule : TeamIdentifier.isTeamGroup(group) ? .team : isSandbox ? .sandbox : .nobody
    }

    static let sandboxes = ["flatpak", "snap", "systemd"]
}
