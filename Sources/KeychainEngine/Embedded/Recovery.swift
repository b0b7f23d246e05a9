// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

extension EmbeddedKeychain {
    /// Takes items out of quarantine that open again, for example after a fault of the memory or of another program.
    ///
    /// An item whose primary key was taken meanwhile stays where it is.
    ///
    /// - Returns: How many items came back.
    @discardableResult
    public func recover() throws(KeychainError) -> Int {
        try withEngine { (engine) throws(KeychainError) in try engine.recover() }
    }
}

extension Engine {
    func recover() throws(KeychainError) -> Int {
        try write { (writer) throws(KeychainError) in
            let tags = device.searchTags()
            var count = 0
            for itemClass in ItemClass.stored {
                var every = RowFilter(itemClass)
                every.includesTombstones = true
                for row in try writer.quarantinedRows(every) where try condition(of: row, tags) == .intact {
                    if try writer.release(row) { count += 1 }
                }
            }
            return count
        }
    }

    /// Whether a row opens, attributes and secret.
    func condition(of row: NumberedRow, _ tags: SearchTags) throws(KeychainError) -> RowCondition {
        if isDestroyed(row.row) { return .destroyed }
        if row.isOversized { return .damaged(.oversized) }
        if let protection = Accessibility(rawValue: row.row.protection), !device.isAvailable(protection) {
            return .locked
        }
        let metadata: OpenedMetadata
        switch try openMetadata(row, checking: tags) {
        case .damaged(let damaged): return .damaged(damaged.damage)
        case .content(let content): metadata = content
        }
        switch try passwordHeader(row, metadata) {
        case .damaged(let damaged): return .damaged(damaged.damage)
        // The header was authenticated with all that it protects, which takes the application's password to open.
        case .content(.some): return .intact
        case .content(nil): break
        }
        if case .damaged(let damaged) = try openSecret(row, metadata, nil) { return .damaged(damaged.damage) }
        return .intact
    }
}

/// What can be said of a row without asking anybody.
enum RowCondition: Equatable {
    case intact
    case damaged(RowDamage)
    /// Its keys are not there now.
    case locked
    /// Its keys went with an earlier passcode.
    case destroyed
}
