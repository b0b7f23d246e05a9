// SPDX-License-Identifier: Apache-2.0

/// A step of moving a user's keychain between the user's own store and the system service, with all that makes it the
/// same device (Documentation/Daemon.md, "Moving items").
///
/// Rows travel as values: neither side opens a file that the other made.
public enum StoreMove: Sendable, Hashable {
    /// What the service has; the reply is a ``KeychainReply/moveStatus(_:)``.
    case status
    /// Begins to receive a keychain; the service must have none with rows or a passcode.
    case receive(MovedDevice)
    /// Adds rows, in their order.
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
    /// Removes the keychain that was given away; the receipt shows that the sender has its root key.
    case remove(receipt: SecretBytes)
}

/// What makes a store the same device elsewhere, and what rows come with it.
public struct MovedDevice: Sendable, Hashable {
    /// The root key: 32 bytes.
    public var rootKey: SecretBytes
    /// The keybag, of a store that is being moved.
    public var keybag: [UInt8]
    /// The record of the device.
    public var record: DeviceRecord
    /// The number of rows of each class of ``ItemClass/stored``, in this order.
    public var rowCounts: [Int]
    /// The digest of all rows, in the order of their places.
    public var digest: [UInt8]

    /// A device.
    public init(rootKey: SecretBytes, keybag: [UInt8], record: DeviceRecord, rowCounts: [Int], digest: [UInt8]) {
        self.rootKey = rootKey
        self.keybag = keybag
        self.record = record
        self.rowCounts = rowCounts
        self.digest = digest
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
    /// The name of its owner; `nil` if there is no store.
    public var owner: String?
    /// Which store it is; `nil` if there is none.
    public var storeIdentifier: Bytes16?
    /// Whether it has rows of any kind.
    public var hasRows = false
    /// Whether a passcode is set.
    public var hasPasscode = false

    /// No store.
    public init() {}

    /// Whether anything would be lost with it.
    public var hasContents: Bool { hasRows || hasPasscode }
}

/// The limits of a move.
public enum MoveLimits {
    /// The maximum number of bytes of the rows of one message, unless it has one row only: 1 MiB.
    public static let messageByteCount = 1 << 20
    /// The maximum number of rows of one message: their tags stay below the number of elements of a command.
    public static let messageRowCount = 1_000
    /// The maximum number of bytes of all rows: 1 GiB.
    public static let byteCount = 1 << 30
    /// The maximum number of rows.
    public static let rowCount = 1_000_000
    /// The maximum number of bytes of a keybag: 16 KiB.
    public static let keybagByteCount = 16 << 10
    /// After how many seconds without a message a move counts as given up.
    public static let idleSeconds = 600
}

extension StoredRow {
    /// The number of bytes that it takes in a store, approximately.
    public var byteCount: Int {
        metadata.count + secret.count + protection.utf8.count + (3 + tags.count) * Bytes16.count
    }
}
