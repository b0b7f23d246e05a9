// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Tree T6: the two keychains of a Mac, and the front end before them.
enum FrontEndTree {
    /// `nil` for what is no matter of the front end, which goes on with the other trees.
    static func diagnosis(_ examination: Examination) -> Diagnosis? {
        guard let view = examination.fileKeychain, view.route.reachesFile, !view.route.isFlagged,
            examination.call.query[PropertyKey.useDataProtectionKeychain] == nil
        else { return nil }
        let dataProtection = examination.replayedByDataProtection
        if dataProtection == examination.replayed, givesSameItems(examination, view) { return nil }
        return differing(examination, view, dataProtection)
    }

    /// Whether the call would give or touch the same items with the flag.
    private static func givesSameItems(_ examination: Examination, _ view: FileKeychainView) -> Bool {
        switch examination.function {
        // It lands elsewhere.
        case .add: return false
        case .copyMatching:
            // One value is that of the data protection keychain, if it has one.
            let search = examination.explanation.search
            let isOne = search?.limit == .one && search?.returns.isEmpty == false && examination.replayed == .success
            return view.matchCount == 0 || isOne
        case .update, .delete: return view.matchCount == 0
        }
    }

    private static func differing(
        _ examination: Examination,
        _ view: FileKeychainView,
        _ dataProtection: Status
    ) -> Diagnosis {
        let path = ["T6.1", "T6.2"]
        let because = [
            "the data protection keychain alone answers \(dataProtection)",
            "with the file-based one the call answers \(examination.replayed)",
        ]
        let ignored = examination.explanation.faults.filter { $0.check == .attributeName }.compactMap(\.key)
        if !ignored.isEmpty {
            return Diagnosis(.shimIgnoredAttribute, path, [.attribute: ignored], because: because)
        }
        if dataProtection == .interactionNotAllowed, examination.replayed == .itemNotFound {
            let why = InteractionTree.diagnosis(examination)
            var diagnosis = Diagnosis(.lockedMaskedAsNotFound, path, because: because, about: why.candidate)
            diagnosis.names = why.names
            return diagnosis.adding([why.verdict] + why.also)
        }
        if view.isMissing { return Diagnosis(.noDefaultKeychain, path, because: because) }
        if view.isLocked, view.needsOpen {
            let isUnattendedJob = examination.call.isContinuousIntegration
            return Diagnosis(isUnattendedJob ? .ciKeychainLocked : .fileKeychainLocked, path, because: because)
        }
        if [.delete, .update].contains(examination.function), view.matchCount > 1 {
            let counts = "the file-based keychain has \(view.matchCount) that match, and touches one"
            return Diagnosis(.limitDefaultDiffers, path, because: [counts] + because)
        }
        return Diagnosis(.fileBasedByDefault, path, [.keychain: ["file"]], because: because)
    }

    /// Step T6.3: the flag is given, and the intended item is in the other keychain.
    static func otherKeychain(_ item: Candidate, _ examination: Examination) -> Diagnosis {
        let names = [VerdictNames.Key.keychain: ["file"]]
        let near = examination.nearMisses?.near ?? []
        let isMixed = near.contains { other in
            other.difference(.keychain) == nil && examination.fileKeychain?.hasItems(like: other.item) ?? false
        }
        return Diagnosis(
            isMixed ? .mixedKeychains : .otherKeychain,
            ["T6.3"],
            names,
            because: ["the item is in the file-based keychain, and the call asks for the other one"],
            about: item
        )
    }
}
