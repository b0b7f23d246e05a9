// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Items as the Secret Service sees them, and their secrets.
extension ItemTransaction {
    /// The items of identifiers, in their order; unknown ones are left out.
    func describeLookups(
        _ identifiers: [ItemIdentifier],
        damaged: inout [DamagedRow]
    ) throws(KeychainError) -> [LookupItem] {
        var items: [LookupItem] = []
        for identifier in identifiers {
            guard let row = try lookupRow(identifier, in: groups.readable) else { continue }
            let view = try lookupView(row)
            if case .damaged(let row) = view {
                damaged.append(row)
                continue
            }
            var item = LookupItem(identifier, isLocked: view.isLocked)
            if let metadata = view.metadata {
                item.attributes = lookupAttributes(metadata, of: row.row.itemClass)
                item.label = metadata.attributes.labelText
                item.created = metadata.attributes.creationDate
                item.modified = metadata.attributes.modificationDate
            } else if let face = try lookupFace(row) {
                item.attributes = face.record.attributes
                (item.label, item.created, item.modified) = (face.label, face.created, face.modified)
            }
            items.append(item)
        }
        return items
    }

    /// The secrets of identifiers, in their order; unknown and locked ones are left out.
    ///
    /// - Throws: Among others, `errSecDataTooLarge` for more than a command returns, before more of them are opened.
    func lookupSecrets(
        _ identifiers: [ItemIdentifier],
        damaged: inout [DamagedRow]
    ) throws(KeychainError) -> [LookupSecret] {
        var secrets: [LookupSecret] = []
        var byteCount = 0
        for identifier in identifiers {
            guard let row = try lookupRow(identifier, in: groups.readable) else { continue }
            switch try lookupView(row) {
            case .damaged(let row): damaged.append(row)
            case .locked, .guarded: break
            case .open(let metadata, let key):
                switch try sealer.openSecret(of: row, metadata: metadata, passwordKey: key) {
                case .damaged(let row): damaged.append(row)
                case .content(let sealed):
                    let item = Item(
                        itemClass: row.row.itemClass,
                        identifier: identifier,
                        attributes: metadata.attributes,
                        secret: sealed
                    )
                    // One that was altered is left out, and stays for who reads it by an item function.
                    guard let secret = try? bareSecret(of: item) else { continue }
                    byteCount += secret.count
                    guard byteCount <= LookupRequest.maximumSecretBytes else { throw .tooManySecretBytes }
                    let contentType = metadata.attributes.lookupRecord?.contentType
                    secrets.append(
                        LookupSecret(
                            identifier,
                            secret,
                            contentType: contentType ?? LookupMapping.contentType(of: secret)
                        )
                    )
                }
            }
        }
        return secrets
    }
}

extension KeychainError {
    /// More secrets are asked for than one command returns.
    fileprivate static let tooManySecretBytes = KeychainError(
        .dataTooLarge,
        "the secrets have more than \(LookupRequest.maximumSecretBytes) bytes together; read fewer items at a time"
    )
}
