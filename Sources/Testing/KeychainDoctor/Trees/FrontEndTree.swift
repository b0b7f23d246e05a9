// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Tree T6: the two keychains of a Mac, and the front end before them.
enum FrontEndTree {
    /// `nil` if the front end is not the cause; the other trees then continue.
    static func diagnosis(_ examination: Examination) -> Diagnosis? {
        guard let view = examination.fileKeychain else { return unknownKeychain(examination) }
        guard view.route.reachesFile, !view.route.isFlagged else { return nil }
        let dataProtection = examination.replayedByDataProtection
        if view.isDeclined { return declined(examination, view: view, dataProtection: dataProtection) }
        if dataProtection == examination.replayed, affectsSameItems(examination, view) { return nil }
        return differing(examination, view: view, dataProtection: dataProtection)
    }

    /// An add without the flag goes to the file-based keychain, regardless of its contents.
    private static func unknownKeychain(_ examination: Examination) -> Diagnosis? {
        guard examination.call.platform == .macOS, examination.function == .add,
            examination.call.query[PropertyKey.useDataProtectionKeychain] == nil,
            examination.explanation.faults.isEmpty
        else { return nil }
        let route = KeychainRoute(examination.call.query, .add)
        guard route.reachesFile, !route.reachesDataProtection else { return nil }
        return Diagnosis(
            .fileBasedByDefault,
            path: ["T6.1", "T6.2"],
            names: [.keychain: ["file"]],
            confidence: VerdictConfidence.assumed,
            because: [
                "the add does not set kSecUseDataProtectionKeychain", "nothing is known of the file-based keychain",
            ]
        )
    }

    /// The flag is false: the call reaches only the file-based keychain, as requested.
    private static func declined(
        _ examination: Examination,
        view: FileKeychainView,
        dataProtection: Status
    ) -> Diagnosis? {
        if let closed = closed(examination, view: view, path: ["T6.1", "T6.2"], because: []) { return closed }
        if examination.replayed == .itemNotFound, dataProtection == .success {
            let isMixed = examination.matches.contains { view.hasItems(like: $0.item) }
            return Diagnosis(
                isMixed ? .mixedKeychains : .otherKeychain,
                path: ["T6.1", "T6.3"],
                names: [.keychain: ["data-protection"]],
                because: ["kSecUseDataProtectionKeychain is false, and the item is in the data protection keychain"]
            )
        }
        if let many = affectsOneOfMany(examination, view) { return many }
        return examination.replayed == .success
            ? Diagnosis(.nothingWrong, path: ["T6.1", "5.7"], confidence: VerdictConfidence.certain) : nil
    }

    /// There is no file-based keychain, or it is locked and would have to be unlocked.
    private static func closed(
        _ examination: Examination,
        view: FileKeychainView,
        path: [String],
        because: [String]
    ) -> Diagnosis? {
        if view.isMissing { return Diagnosis(.noDefaultKeychain, path: path, because: because) }
        guard view.isLocked, view.needsOpen, !view.isDeclined || view.status == examination.replayed else {
            return nil
        }
        let isUnattendedJob = examination.call.isContinuousIntegration
        return Diagnosis(isUnattendedJob ? .ciKeychainLocked : .fileKeychainLocked, path: path, because: because)
    }

    private static func affectsOneOfMany(_ examination: Examination, _ view: FileKeychainView) -> Diagnosis? {
        guard [.delete, .update].contains(examination.function), view.matchCount > view.touchedCount else { return nil }
        return Diagnosis(
            .limitDefaultDiffers,
            path: ["T6.1", "T6.2"],
            because: ["the file-based keychain has \(view.matchCount) that match, and touches \(view.touchedCount)"]
        )
    }

    /// Whether the call would return or affect the same items with the flag.
    private static func affectsSameItems(_ examination: Examination, _ view: FileKeychainView) -> Bool {
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
        view: FileKeychainView,
        dataProtection: Status
    ) -> Diagnosis {
        let path = ["T6.1", "T6.2"]
        let because = [
            "the data protection keychain alone answers \(dataProtection)",
            "with the file-based one the call answers \(examination.replayed)",
        ]
        let ignored = examination.explanation.faults.filter { $0.check == .attributeName }.compactMap(\.key)
        if !ignored.isEmpty {
            return Diagnosis(.shimIgnoredAttribute, path: path, names: [.attribute: ignored], because: because)
        }
        if dataProtection == .interactionNotAllowed, examination.replayed == .itemNotFound {
            let why = InteractionTree.diagnosis(examination)
            var diagnosis = Diagnosis(.lockedMaskedAsNotFound, path: path, because: because, about: why.candidate)
            diagnosis.names = why.names
            return diagnosis.adding([why.verdict] + why.also)
        }
        if let closed = closed(examination, view: view, path: path, because: because) { return closed }
        if var many = affectsOneOfMany(examination, view) {
            many.because += because
            return many
        }
        return Diagnosis(.fileBasedByDefault, path: path, names: [.keychain: ["file"]], because: because)
    }

    /// Step T6.3: the flag is set, and the intended item is in the other keychain.
    static func otherKeychain(_ item: Candidate, _ examination: Examination) -> Diagnosis {
        let names = [VerdictNames.Key.keychain: ["file"]]
        let near = examination.nearMisses?.near ?? []
        let isMixed = near.contains { other in
            other.difference(.keychain) == nil && examination.fileKeychain?.hasItems(like: other.item) ?? false
        }
        return Diagnosis(
            isMixed ? .mixedKeychains : .otherKeychain,
            path: ["T6.3"],
            names: names,
            because: ["the item is in the file-based keychain, and the call asks for the other one"],
            about: item
        )
    }
}
