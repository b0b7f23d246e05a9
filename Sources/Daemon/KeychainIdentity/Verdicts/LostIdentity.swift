// SPDX-License-Identifier: Apache-2.0

extension IdentityFindings {
    /// Reports which items a program can no longer access because its previous version was signed differently, and why
    /// it does not have the identity that a manifest states.
    ///
    /// - Parameters:
    ///   - path: the path of its executable; `nil` if unknown.
    ///   - application: the application that it is identified as.
    ///   - groups: the access groups that it owns.
    ///   - record: the record of the application at the path.
    /// - Returns: The reason and the remedy, a sentence without a period; `nil` if it lacks nothing.
    mutating func lostIdentity(
        of path: String?,
        application: String?,
        groups: [String],
        record: IdentityRecord
    ) -> String? {
        var upgrade: String?
        if let path, let before = record.program(at: path) {
            let owned = Set(groups.map { Array($0.utf8) })
            let lost = before.accessGroups.filter { !owned.contains(Array($0.utf8)) }
            if !lost.isEmpty {
                let text = Self.upgrade(
                    of: path,
                    from: before.applicationIdentifier,
                    application: application,
                    losing: lost
                )
                addFailed("upgrade", text)
                upgrade = text
            }
        }
        guard application == nil, upgrade != nil || hasManifest, !reasons.isEmpty else { return upgrade }
        return reasons.joined(separator: "; ")
    }

    private static func upgrade(
        of path: String,
        from before: String,
        application: String?,
        losing lost: [String]
    ) -> String {
        let groups = lost.joined(separator: ", ")
        if before == application {
            return "an earlier version of the program at \(path) had the access groups \(groups), whose items this one "
                + "cannot access: sign it with these groups ('keychainctl sign --team-key KEY --entitlements FILE "
                + "PROGRAM'), or install a version that has them"
        }
        let team = before.split(separator: ".").first ?? ""
        return
            "the program at \(path) was \(before) before, and this one cannot access its items in \(groups): sign it "
            + "with a key of team \(team) for that application ('keychainctl sign --team-key KEY --identifier ID PROGRAM'), "
            + "or install a version that is"
    }
}
