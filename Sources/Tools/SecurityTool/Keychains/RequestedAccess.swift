// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The access list requested by `-A` and `-T`.
///
/// - Important: Differs from macOS: there are no code signatures to identify programs. The list is stored and shown,
///   and never keeps the owner's own programs from an item, not even with `-T ""`.
struct RequestedAccess {
    /// Whether every program is allowed (`-A`), which overrides `-T`.
    var allowsAll = false

    /// The named programs (`-T`); `nil` if the option was not given.
    var applications: [TrustedApplication]?

    /// Processes `-A` or `-T`.
    ///
    /// - Returns: Whether it is one of these.
    /// - Throws: ``CommandFailure`` with 1 for a path that does not exist.
    mutating func parse(_ option: ParsedOptions.Option) throws(CommandFailure) -> Bool {
        switch option.letter {
        case "A": allowsAll = true
        case "T":
            let application = try TrustedApplication(option.value)
            applications = (applications ?? []) + (application.map { [$0] } ?? [])
        default: return false
        }
        return true
    }

    /// The access list of a new item: without an option, only this program's.
    ///
    /// - Parameters:
    ///   - descriptor: the description of the access list.
    ///   - version: the version of the keychain file, which decides whether there is a partition list.
    /// - Returns: The access.
    func new(_ descriptor: String, version: Int) -> ItemAccess {
        ItemAccess(
            descriptor: descriptor,
            trustedApplications: allowsAll ? nil : applications ?? [.securityTool],
            partitions: version >= 512 ? ["apple-tool:"] : []
        )
    }

    /// Whether an update changes the access list of an item.
    var changesAccess: Bool { allowsAll || applications != nil }

    /// The new access list of an item that already has one.
    func merged(into access: ItemAccess) -> ItemAccess {
        var merged = access
        if allowsAll {
            merged.trustedApplications = nil
        } else if let old = access.trustedApplications {
            merged.trustedApplications = old + (applications ?? []).filter { !old.contains($0) }
        }
        return merged
    }
}
