// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Who a program is, as far as that is proved, and which access groups are its own because of it.
public struct ClientIdentity: Sendable, Hashable {
    /// By what it is known.
    public enum Kind: Sendable, Hashable {
        /// An application of Flatpak, by its name.
        case flatpak(String)
        /// A snap, by its name.
        case snap(String)
        /// A service of the system's manager, by the name of its unit.
        case systemUnit(String)
        /// A program that a team has signed.
        case signed(TeamIdentifier)
        /// A program that the owner of the system has named, by the file that names it.
        case rootManifest(String)
        /// A program that nobody has vouched for.
        case anonymous
    }

    /// By what it is known.
    public let kind: Kind

    /// Which application it is; `nil` for an anonymous one.
    public let applicationIdentifier: String?

    /// The access groups that it has because of who it is, in their order.
    public let ownedGroups: [String]

    /// What every further group that belongs to it begins with.
    public let ownedPrefix: String?

    /// Whether it has no other groups, whatever it says: what a sandbox keeps in, and what is listed in full by a
    /// manifest.
    public let isConfined: Bool

    /// Whether it is confined, so that it cannot read the user's files as other programs can: an application of
    /// Flatpak, a snap, and whatever else sees another system than the one who asks.
    public let isSandboxed: Bool

    /// Whether it may do what the owner of the keychain may.
    public let hasOwnerRights: Bool

    /// The groups that only programs have to whom a root-owned manifest gives them, and that it is not given.
    package let reservedGroups: Set<String>

    /// Why it is no more than this, each a sentence without its end: what did not count, and what to do.
    public let reasons: [String]

    /// An identity.
    package init(
        _ kind: Kind,
        applicationIdentifier: String? = nil,
        ownedGroups: [String] = [],
        ownedPrefix: String? = nil,
        isConfined: Bool = false,
        isSandboxed: Bool = false,
        hasOwnerRights: Bool = false,
        reservedGroups: Set<String> = [],
        reasons: [String] = []
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
        self.reservedGroups = reservedGroups.subtracting(ownedGroups)
        self.reasons = reasons
    }

    /// Whether somebody has vouched for it.
    public var isKnown: Bool { kind != .anonymous }
}

// MARK: - Groups

extension ClientIdentity {
    /// The access groups of a program that says it has these: first those that it has because of who it is, then those
    /// of what it says that are open to it, in its order.
    ///
    /// - Parameter claimed: the groups that the program's own library found for it.
    /// - Returns: The groups, each once; never `*`.
    public func groups(claimed: [String]) -> [String] {
        var groups: [String] = []
        var seen: Set<[UInt8]> = []
        for group in ownedGroups + claimed.filter({ refusal(of: $0) == nil }) {
            if seen.insert(Array(group.utf8)).inserted { groups.append(group) }
        }
        return groups
    }

    /// Why a program does not have a group that it says it has, a sentence without its end; `nil` when it has it.
    public func refusal(of group: String) -> String? {
        if ownedGroups.contains(where: { $0.utf8.elementsEqual(group.utf8) }) { return nil }
        if let ownedPrefix, group.utf8.starts(with: ownedPrefix.utf8) { return nil }
        if group == Client.everyGroup { return "no program has every group" }
        let fix = reasons.isEmpty ? "" : ": \(reasons.joined(separator: "; "))"
        switch GroupOwner(of: group) {
        case .team: return "'\(group)' is for programs that its team has signed for it\(fix)"
        case .sandbox: return "'\(group)' is for the sandbox or the service that it names\(fix)"
        case .nobody: break
        }
        if reservedGroups.contains(group) { return "'\(group)' is for programs that a root-owned manifest gives it to" }
        // What hardware tokens hold is for every program, and for reading.
        guard isConfined, group != PropertyKey.accessGroupToken else { return nil }
        let name = applicationIdentifier ?? "the program"
        return "'\(group)' is not among the groups of \(name)\(isKnown ? "" : fix)"
    }

    /// The client that a program is that says it is another one.
    public func client(claimed: Client) -> Client {
        var client = claimed
        client.accessGroups = groups(claimed: claimed.accessGroups)
        // It would reach every group that ends so, of whomever.
        client.isNetworkExtension = false
        if let identifier = client.appClipIdentifier, refusal(of: identifier) != nil { client.accessGroups = [] }
        return client
    }
}
