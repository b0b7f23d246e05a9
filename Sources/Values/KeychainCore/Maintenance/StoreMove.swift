// SPDX-License-Identifier: Apache-2.0

/// A command about moving a user's keychain between the user's own store and the system service, with all that makes it
/// the same device (Documentation/Daemon.md, "Moving items").
///
/// Rows travel as values: neither side opens a file that the other made.
public enum StoreMove: Sendable, Hashable {
    /// What the service has; the reply is a ``KeychainReply/moveStatus(_:)``.
    case status
    /// Begins a move, with a random identifier, and ends every earlier one of the same process, or of one that is gone:
    /// none of its steps is carried out any more. The reply is a ``KeychainReply/moveStatus(_:)``.
    case begin(Bytes16)
    /// A step of the move of this identifier.
    case step(Step, of: Bytes16)

    /// A step of a move that was begun; the reply is ``KeychainReply/done`` where none is named.
    public enum Step: Sendable, Hashable {
        /// Begins to receive a keychain; the service must have none with items or a passcode.
        case receive(MovedDevice)
        /// Adds rows, in their order; one at least.
        case append([MovedRow])
        /// Compares what was received with what was announced, and has the service serve it.
        case activate
        /// Has the service refuse every command, and give away the keychain; the reply is a
        /// ``KeychainReply/movedDevice(_:)``.
        case send
        /// The rows after one, in their order; the reply is a ``KeychainReply/movedRows(_:)``, empty after the last.
        case rows(after: MovedRow.Place?)
        /// Has the service serve the keychain again that it began to give away.
        case resume
        /// Fails unless the service has the same keychain: root key, passcode and all rows.
        case compare(MovedCopy)
        /// Removes the keychain, if the sender has all of it.
        case remove(MovedCopy)
    }
}

/// What makes a store the same device elsewhere, and what rows come with it.
public struct MovedDevice: Sendable, Hashable {
    /// The root key: 32 bytes.
    public var rootKey: SecretBytes
    /// The keybag, of a store that is being moved.
    public var keybag: [UInt8]
    /// The record of the device.
    public var record: DeviceRecord
    /// Its rows.
    public var rows: MovedRows

    /// A device.
    public init(rootKey: SecretBytes, keybag: [UInt8], record: DeviceRecord, rows: MovedRows) {
        self.rootKey = rootKey
        self.keybag = keybag
        self.record = record
        self.rows = rows
    }
}

/// What shows that one side has all of a keychain that the other one is to remove.
public struct MovedCopy: Sendable, Hashable {
    /// What only a store of this root key and this passcode gives.
    public var receipt: SecretBytes
    /// The digest of all its rows.
    public var digest: [UInt8]

    /// A copy.
    public init(receipt: SecretBytes, digest: [UInt8]) {
        self.receipt = receipt
        self.digest = digest
    }
}

/// What is known of the rows of a store that is moved.
public struct MovedRows: Sendable, Hashable {
    /// The number of rows of each class of ``ItemClass/stored``, in this order.
    public var counts: [Int]
    /// The number of bytes that they take, as ``StoredRow/byteCount`` counts.
    public var byteCount: Int
    /// The digest of all rows, in the order of their places.
    public var digest: [UInt8]
    /// The number of damaged rows that stay behind, because no store would take them.
    public var damagedCount: Int

    /// Rows.
    public init(counts: [Int], byteCount: Int, digest: [UInt8], damagedCount: Int) {
        self.counts = counts
        self.byteCount = byteCount
        self.digest = digest
        self.damagedCount = damagedCount
    }
}

/// A row of a table, as it is moved.
public struct MovedRow: Sendable, Hashable {
    /// Its number in its table.
    public var number: Int64
    /// The row.
    public var row: StoredRow
    /// Why it is in quarantine; `nil` if it is not.
    public var damage: Int?

    /// A row.
    public init(number: Int64, row: StoredRow, damage: Int?) {
        self.number = number
        self.row = row
        self.damage = damage
    }

    /// Where a row is: tables in the order of ``ItemClass/stored``, rows by number.
    public struct Place: Sendable, Hashable {
        /// The table.
        public var itemClass: ItemClass
        /// The number of the row.
        public var number: Int64

        /// A place.
        public init(_ itemClass: ItemClass, _ number: Int64) {
            self.itemClass = itemClass
            self.number = number
        }
    }

    /// Where it is.
    public var place: Place { Place(row.itemClass, number) }
}

/// What is known of a store before it is moved.
public struct MoveStatus: Sendable, Hashable {
    /// Its owner; `nil` if there is no store.
    public var owner: StoreOwner?
    /// Which store it is; `nil` if there is none.
    public var storeIdentifier: Bytes16?
    /// The number of items of each class of ``ItemClass/stored``, in this order; empty if there is no store.
    public var itemCounts: [Int] = []
    /// Whether it has items, those in quarantine among them.
    public var hasItems = false
    /// Whether it has rows of any kind: items, or marks of deleted ones.
    public var hasRows = false
    /// Whether a passcode is set.
    public var hasPasscode = false

    /// No store.
    public init() {}

    /// Whether there is anything that is to go along with it.
    public var hasContents: Bool { hasRows || hasPasscode }

    /// Whether no other keychain may take its place: marks of deleted items alone keep nobody.
    public var isOccupied: Bool { hasItems || hasPasscode }
}

/// The limits of a move.
public enum MoveLimits {
    /// The maximum number of bytes of the rows of one message, unless it has one row only: 1 MiB.
    public static let messageByteCount = 1 << 20
    /// The maximum number of rows of one message: their tags stay below the number of elements of a command.
    public static let messageRowCount = 1_000
    /// The maximum number of bytes of all rows: 1 GiB.
    public static let byteCount = 1 << 30
    /// The maximum number of bytes of all rows that the system service receives at a time, of all users: 4 GiB.
    public static let serviceByteCount = 4 << 30
    /// The number of bytes that a move leaves free on the disk: 16 MiB.
    public static let freeByteCount = 16 << 20
    /// The maximum number of rows.
    public static let rowCount = 1_000_000
    /// The maximum number of bytes of a keybag: 16 KiB.
    public static let keybagByteCount = 16 << 10
    /// After how many seconds without a message a move counts as given up.
    public static let idleSeconds = 600
    /// After how many seconds a move counts as given up in any case.
    public static let totalSeconds = 3_600
}

extension StoredRow {
    /// The number of bytes that it takes in a store, approximately.
    public var byteCount: Int {
        metadata.count + secret.count + protection.utf8.count + (3 + 2 * tags.count) * Bytes16.count + 128
    }
}
