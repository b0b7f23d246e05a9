// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The answer to a call that both keychains were asked (Semantics, "Merging two answers").
enum MergedAnswer {
    /// One answer of two.
    ///
    /// An error of the data protection keychain is never seen: a locked one without a file-based match is
    /// `errSecItemNotFound` (r. 143405965). After its success an error of the other one is not seen either.
    static func merge(
        dataProtection: Result<KeychainAnswer, KeychainError>,
        files: Result<KeychainAnswer, KeychainError>
    ) -> Result<KeychainAnswer, KeychainError> {
        switch (dataProtection, files) {
        // That there is no file-based keychain is told by that side alone.
        case (.failure(let error), .failure(let other)) where other.status == .noDefaultKeychain:
            .failure(error.status == .itemNotFound ? error : .nothingFound)
        case (.failure, _): files
        case (.success, .failure): dataProtection
        case (.success(let first), .success(let second)): .success(merge(first, second))
        }
    }

    /// Two lists are one; else what the data protection keychain found counts, if that is anything.
    private static func merge(_ first: KeychainAnswer, _ second: KeychainAnswer) -> KeychainAnswer {
        switch (first, second) {
        case (.list(let values), .list(let others)): .list(values + others)
        case (.nothing, _): second
        case (.single, _), (.list, _): first
        }
    }
}

extension KeychainError {
    /// What a locked data protection keychain shows as, where no file answers either.
    fileprivate static let nothingFound = KeychainError(.itemNotFound, "neither of the two keychains gives an item")
}
