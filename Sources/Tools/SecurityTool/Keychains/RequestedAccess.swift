// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Who is to be able to use an item, as `-A` and `-T` say it.
///
/// - Important: Differs from macOS: there are no code signatures to recognize programs by. The list is stored and
///   shown, and never keeps the owner's own programs from an item, not even one with `-T ""`.
struct RequestedAccess {
    /// Every program (`-A`), whatever else is said.
    var allowsAll = false

    /// The programs that were named (`-T`); `nil` when the option was not given.
    var applications: [TrustedApplication]?

    /// Takes `-A` or `-T`.
    ///
    /// - Returns: Whether it is one of these.
    /// - Throws: ``CommandFailure`` with 1 for the path of nothing.
    mutating func take(_ option: ParsedOptions.Option) throws(CommandFailure) -> Bool {
        switch option.letter {
        case "A": allowsAll = true
        case "T":
            let application = try TrustedApplication(option.value)
            applications = (applications ?? []) + (application.map { [$0] } ?? [])
        default: return false
        }
        return true
    }

    /// The access of a new item: without an option, this program's alone.
    ///
    /// - Parameters:
    ///   - descriptor: what the access is for.
    ///   - version: the version of the keychain file, which decides whether there is a partition list.
    /// - Returns: The access.
    func new(_ descriptor: String, version: Int) -> ItemAccess {
        ItemAccess(
            descriptor: descriptor,
            trustedApplications: allowsAll ? nil : applications ?? [.securityTool],
            partitions: version >= 512 ? ["apple-tool:"] : []
        )
    }

    /// Whether an update changes the access of an item.
    var changesAccess: Bool { allowsAll || applications != nil }

    /// The access of an item that has another one already.
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
