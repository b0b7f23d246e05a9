// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The answer to a call on both keychains (Semantics, "Merging two answers").
enum MergedAnswer {
    /// Merges two answers.
    ///
    /// An error of the data protection keychain is never reported: a locked one without a file-based match is
    /// `errSecItemNotFound` (r. 143405965). If it succeeds, an error of the other one is not reported either.
    static func merge(
        dataProtection: Result<KeychainAnswer, KeychainError>,
        files: Result<KeychainAnswer, KeychainError>
    ) -> Result<KeychainAnswer, KeychainError> {
        switch (dataProtection, files) {
        // Only the file-based side reports that there is no file-based keychain.
        case (.failure(let error), .failure(let other)) where other.status == .noDefaultKeychain:
            .failure(error.status == .itemNotFound ? error : .nothingFound)
        case (.failure, _): files
        case (.success, .failure): dataProtection
        case (.success(let first), .success(let second)): .success(merge(first, second))
        }
    }

    /// Two lists are concatenated; otherwise the result of the data protection keychain takes precedence, if there is
    /// one.
    private static func merge(_ first: KeychainAnswer, _ second: KeychainAnswer) -> KeychainAnswer {
        switch (first, second) {
        case (.list(let values), .list(let others)): .list(values + others)
        case (.nothing, _): second
        case (.single, _), (.list, _): first
        }
    }
}

extension KeychainError {
    /// The result for a locked data protection keychain, if no file has a match.
    fileprivate static let nothingFound = KeychainError(.itemNotFound, "neither of the two keychains gives an item")
}
