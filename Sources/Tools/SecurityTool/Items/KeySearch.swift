// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A search for keys by the options of `find-key` and `set-key-partition-list`.
///
/// Keys have no kind and no comment: `-D` and `-j` are accepted and ignored.
struct KeySearch {
    private var kind: KeyKind?
    private var values: [AttributeName: [UInt8]] = [:]
    private var applicationLabel: Word?
    private var uses: [AttributeName] = []

    /// The corresponding function of macOS.
    static let function = "SecItemCopyMatching"

    /// The required usage of a key, by option letter.
    private static let useLetters: [Character: AttributeName] = [
        "s": "sign", "d": "decr", "e": "encr", "v": "vrfy", "r": "drve", "u": "unwp", "w": "wrap",
    ]

    /// Processes an option.
    ///
    /// - Returns: Whether it is a search option.
    /// - Throws: ``CommandFailure`` for a value that no key has.
    mutating func parse(_ option: ParsedOptions.Option) throws(CommandFailure) -> Bool {
        if let use = Self.useLetters[option.letter] {
            uses.append(use)
            return true
        }
        switch option.letter {
        case "t":
            guard let kind = option.value.text.flatMap(KeyKind.init(rawValue:)) else { throw CommandFailure.usage }
            self.kind = kind
        case "l": values[.label] = option.value.bytes.unprotectedCopy
        case "c": values["crtr"] = try FourCharacterCode.bytes(option.value)
        case "a": applicationLabel = option.value
        case "D", "j": break
        default: return false
        }
        return true
    }

    /// The keys of some keychains, in order.
    ///
    /// - Throws: ``CommandFailure`` with 1, for errSecItemNotFound as well.
    func keys(in stores: [any ItemStore]) throws(CommandFailure) -> [StoredItem] {
        do throws(KeychainError) {
            var keys: [StoredItem] = []
            for store in stores { keys += try store.items(.key).filter(matches) }
            if keys.isEmpty { try stores.checkWithholdsNothing(of: [.key]) }
            if keys.isEmpty { throw KeychainError(.itemNotFound, "there is no such key") }
            return keys
        } catch {
            throw CommandFailure(error, in: Self.function).withStatusOne
        }
    }

    private func matches(_ key: StoredItem) -> Bool {
        guard kind == nil || KeyKind(key) == kind else { return false }
        guard values.allSatisfy({ key.bytes($0.key) == $0.value }) else { return false }
        guard uses.allSatisfy({ key.bytes($0).contains { $0 != 0 } }) else { return false }
        guard let applicationLabel else { return true }
        let label = key.bytes(.applicationLabel)
        return applicationLabel.bytes.unprotectedCopy == label
            || HexadecimalText.bytes(applicationLabel.bytes)?.unprotectedCopy == label
    }
}
