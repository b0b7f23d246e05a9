// SPDX-License-Identifier: Apache-2.0

/// A command for moving a user's keychain between the user's own store and the system service.
///
/// The move includes everything that makes it the same device (Documentation/Daemon.md, "Moving items").
///
/// Rows are sent as values: neither side opens a file that the other created.
package enum StoreMove: Sendable, Hashable {
    /// The service's store; the reply is a ``KeychainReply/moveStatus(_:)``.
    case status
    /// Begins a move, with a random identifier, and ends every earlier one of the same process, or of one that has
    /// ended: none of its steps is performed any more. The reply is a ``KeychainReply/moveStatus(_:)``.
    case begin(Bytes16)
    /// A step of the move of this identifier.
    case step(Step, of: Bytes16)

    /// A step of a move in progress; the reply is ``KeychainReply/done`` unless stated otherwise.
    package enum Step: Sendable, Hashable {
        /// Begins to receive a keychain; the service must have none with items or a passcode.
        case receive(MovedDevice)
        /// Adds rows, in their order; one at least.
        case append([MovedRow])
        /// Compares what was received with what was announced, and has the service serve it.
        case activate
        /// Makes the service refuse every command, and send the keychain; the reply is a
        /// ``KeychainReply/movedDevice(_:)``.
        case send
        /// The rows after one, in their order; the reply is a ``KeychainReply/movedRows(_:)``, empty after the last.
        case rows(after: MovedRow.Place?)
        /// Makes the service serve the keychain again that it started to send.
        case resume
        /// Fails unless the service has the same keychain: root key, passcode and all rows.
        case compare(MovedCopy)
        /// Removes the keychain, if the sender has all of it.
        case remove(MovedCopy)
    }
}

/// Everything that makes a store the same device elsewhere, and the accompanying rows.
package struct MovedDevice: Sendable, Hashable {
    /// The root key: 32 bytes.
    package var rootKey: SecretBytes
    /// The keybag, of a store that is being moved.
    package var keybag: [UInt8]
    /// The record of the device.
    package var record: DeviceRecord
    /// Its rows.
    package var rows: MovedRows

    /// A device.
    package init(rootKey: SecretBytes, keybag: [UInt8], record: DeviceRecord, rows: MovedRows) {
        self.rootKey = rootKey
        self.keybag = keybag
        self.record = record
        self.rows = rows
    }
}

/// The proof that one side has all of a keychain that the other one is to remove.
package struct MovedCopy: Sendable, Hashable {
    /// A proof that requires this root key and this passcode.
    package var receipt: SecretBytes
    /// The digest of all its rows.
    package var digest: [UInt8]

    /// A copy.
    package init(receipt: SecretBytes, digest: [UInt8]) {
        self.receipt = receipt
        self.digest = digest
    }
}

/// A summary of the rows of a store that is moved.
package struct MovedRows: Sendable, Hashable {
    /// The number of rows of each class of ``ItemClass/stored``, in this order.
    package var counts: [Int]
    /// Their size in bytes, as counted by ``StoredRow/byteCount``.
    package var byteCount: Int
    /// The digest of all rows, in the order of their places.
    package var digest: [UInt8]
    /// The number of damaged rows that are not moved, because no store would accept them.
    package var damagedCount: Int

    /// Rows.
    package init(counts: [Int], byteCount: Int, digest: [UInt8], damagedCount: Int) {
        self.counts = counts
        self.byteCount = byteCount
        self.digest = digest
        self.damagedCount = damagedCount
    }
}

/// A row of a table, as it is moved.
package struct MovedRow: Sendable, Hashable {
    /// Its number in its table.
    package var number: Int64
    /// The row.
    package var row: StoredRow
    /// Why it is in quarantine; `nil` if it is not.
    package var damage: Int?

    /// A row.
    package init(number: Int64, row: StoredRow, damage: Int?) {
        self.number = number
        self.row = row
        self.damage = damage
    }

    /// The place of a row: tables in the order of ``ItemClass/stored``, rows by number.
    package struct Place: Sendable, Hashable {
        /// The table.
        package var itemClass: ItemClass
        /// The number of the row.
        package var number: Int64

        /// A place.
        package init(_ itemClass: ItemClass, _ number: Int64) {
            self.itemClass = itemClass
            self.number = number
        }
    }

    /// Its place.
    package var place: Place { Place(row.itemClass, number) }
}

/// The status of a store before it is moved.
package struct MoveStatus: Sendable, Hashable {
    /// Its owner; `nil` if there is no store.
    package var owner: StoreOwner?
    /// Its identifier; `nil` if there is none.
    package var storeIdentifier: Bytes16?
    /// The number of items of each class of ``ItemClass/stored``, in this order; empty if there is no store.
    package var itemCounts: [Int] = []
    /// Whether it has items, those in quarantine among them.
    package var hasItems = false
    /// Whether it has rows of any kind: items, or marks of deleted ones.
    package var hasRows = false
    /// Whether a passcode is set.
    package var hasPasscode = false

    /// No store.
    package init() {}

    /// Whether there is anything to move with it.
    package var hasContents: Bool { hasRows || hasPasscode }

    /// Whether another keychain must not replace it: tombstones of deleted items alone do not prevent that.
    package var isOccupied: Bool { hasItems || hasPasscode }
}

/// The limits of a move.
package enum MoveLimits {
    /// The maximum number of bytes of the rows of one message, unless it has one row only: 1 MiB.
    package static let messageByteCount = 1 << 20
    /// The maximum number of rows of one message: their tags stay below the number of elements of a command.
    package static let messageRowCount = 1_000
    /// The maximum number of bytes of all rows: 1 GiB.
    package static let byteCount = 1 << 30
    /// The maximum number of bytes of all rows that the system service receives at a time, of all users: 4 GiB.
    package static let serviceByteCount = 4 << 30
    /// The number of bytes that a move leaves free on the disk: 16 MiB.
    package static let freeByteCount = 16 << 20
    /// The maximum number of rows.
    package static let rowCount = 1_000_000
    /// The maximum number of bytes of a keybag: 16 KiB.
    package static let keybagByteCount = 16 << 10
    /// The time in seconds without a message after which a move counts as abandoned.
    package static let idleSeconds = 600
    /// The time in seconds after which a move counts as abandoned in any case.
    package static let totalSeconds = 3_600
}

extension StoredRow {
    /// Its approximate size in a store, in bytes.
    package var byteCount: Int {
        metadata.count + secret.count + protection.utf8.count + (3 + 2 * tags.count) * Bytes16.count + 128
    }
}
