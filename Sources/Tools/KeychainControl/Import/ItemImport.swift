// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Takes items of another Secret Service into the keychain: an item that is there with the same attributes and the same
/// secret is left, so that a second run adds nothing.
struct ItemImport {
    private let keychain: any KeychainBackend
    private let replaces: Bool
    private let isRehearsal: Bool

    /// What became of the items.
    struct Report: Sendable {
        var added: [ForeignItem] = []
        /// Those that are in the keychain already.
        var same: [ForeignItem] = []
        /// Those of which the keychain has another secret, which stays.
        var different: [ForeignItem] = []
        /// Those of which the keychain had another secret.
        var replaced: [ForeignItem] = []
        /// Those that the keychain does not take, with the reason.
        var refused: [(item: ForeignItem, reason: String)] = []
    }

    /// An import into a keychain.
    ///
    /// - Parameters:
    ///   - keychain: the keychain, which is unlocked.
    ///   - replaces: whether other secrets are replaced by theirs.
    ///   - isRehearsal: whether nothing is changed.
    init(into keychain: any KeychainBackend, replacing replaces: Bool, isRehearsal: Bool) {
        self.keychain = keychain
        self.replaces = replaces
        self.isRehearsal = isRehearsal
    }

    /// Takes the items.
    ///
    /// - Parameters:
    ///   - items: the items of the other service.
    ///   - report: what became of them, also of those before a failure.
    /// - Throws: ``KeychainError`` of what keeps all items from being taken.
    func take(_ items: [ForeignItem], into report: inout Report) throws(KeychainError) {
        for group in Self.groups(items) { try take(group: group, into: &report) }
    }

    /// Items with the same attributes, which can be several, in their order.
    private static func groups(_ items: [ForeignItem]) -> [[ForeignItem]] {
        var groups: [[ForeignItem]] = []
        var numbers: [LookupAttributes: Int] = [:]
        for item in items {
            let attributes = item.contents.attributes.withoutGenericSchema
            if let number = numbers[attributes] {
                groups[number].append(item)
            } else {
                numbers[attributes] = groups.count
                groups.append([item])
            }
        }
        return groups
    }

    private func take(group: [ForeignItem], into report: inout Report) throws(KeychainError) {
        var accepted: [ForeignItem] = []
        for item in group {
            do throws(KeychainError) {
                try LookupRequest.Operation.store(item.contents, replacing: false).checkSizes()
                accepted.append(item)
            } catch { report.refused.append((item, error.reason)) }
        }
        guard let first = accepted.first else { return }
        var ours = try equals(first.contents.attributes)
        var others: [ForeignItem] = []
        for item in accepted {
            if let index = ours.firstIndex(where: { $0.secret?.secret == item.contents.secret }) {
                ours.remove(at: index)
                report.same.append(item)
            } else {
                others.append(item)
            }
        }
        // As many as the keychain has with other secrets are changes of those; further ones are new.
        for item in others {
            if ours.isEmpty {
                try add(item, into: &report)
            } else if replaces {
                try replace(ours.removeFirst(), by: item, into: &report)
            } else {
                ours.removeFirst()
                report.different.append(item)
            }
        }
    }

    private func add(_ item: ForeignItem, into report: inout Report) throws(KeychainError) {
        guard !isRehearsal else { return report.added.append(item) }
        do throws(KeychainError) {
            _ = try keychain.perform(.person(.store(item.contents, replacing: false)))
            report.added.append(item)
        } catch { try note(error, of: item, in: &report) }
    }

    private func replace(_ own: OwnItem, by item: ForeignItem, into report: inout Report) throws(KeychainError) {
        guard !isRehearsal else { return report.replaced.append(item) }
        let contents = item.contents
        do throws(KeychainError) {
            let secret = LookupChange.secret(contents.secret, contentType: contents.contentType)
            _ = try keychain.perform(.person(.change(own.item.identifier, secret)))
            if !own.item.label.hasSameBytes(as: contents.label) {
                _ = try keychain.perform(.person(.change(own.item.identifier, .label(contents.label))))
            }
            report.replaced.append(item)
        } catch { try note(error, of: item, in: &report) }
    }

    /// One item that the keychain does not take does not end the import; what all will meet does.
    private func note(
        _ error: KeychainError,
        of item: ForeignItem,
        in report: inout Report
    ) throws(KeychainError) {
        switch error.status {
        case .parameter, .interactionNotAllowed, .duplicateItem, .authenticationFailed:
            report.refused.append((item, error.reason))
        default: throw error
        }
    }

    // MARK: - The keychain

    /// An item of the keychain; without a secret if its access control needs the owner.
    private struct OwnItem {
        let item: LookupItem
        let secret: LookupSecret?
    }

    /// The items of the keychain with these attributes and no others.
    private func equals(_ attributes: LookupAttributes) throws(KeychainError) -> [OwnItem] {
        let wanted = attributes.withoutGenericSchema
        let found = try keychain.lookupItems(with: wanted).filter { $0.attributes.withoutGenericSchema == wanted }
        return try found.map { (item) throws(KeychainError) in
            // One at a time: many secrets are more than a reply may have.
            guard case .lookupSecrets(let secrets) = try keychain.perform(.person(.secrets([item.identifier]))) else {
                throw .unexpectedReply
            }
            return OwnItem(item: item, secret: secrets.first)
        }
    }
}
