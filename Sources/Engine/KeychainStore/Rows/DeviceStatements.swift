// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// The SQL on the two tables that have one row each: the keybag, and the record of the device.
extension SQLiteConnection {
    func keybag() throws(SQLiteError) -> [UInt8] {
        try using("keybag") { () throws(SQLiteError) in
            let statement = try statement(.keybag, "SELECT bytes FROM \(Layout.keybag) WHERE id = 1")
            defer { statement.reset() }
            guard try statement.step() else { throw Self.damage("keybag", "there is none") }
            guard statement.type(0) == .blob else { throw Self.damage("keybag", "it is not of bytes") }
            return statement.bytes(0)
        }
    }

    func setKeybag(_ bytes: [UInt8]) throws(SQLiteError) {
        try using("keybag") { () throws(SQLiteError) in
            let statement = try statement(.setKeybag, "UPDATE \(Layout.keybag) SET bytes = ? WHERE id = 1")
            defer { statement.reset() }
            try statement.bind(bytes, at: 0)
            _ = try statement.step()
            guard changes == 1 else { throw Self.damage("keybag", "there is none") }
        }
    }

    /// The record of the device, reread if anything was changed since the last read.
    ///
    /// The transaction must have read something already.
    func deviceRecord() throws(SQLiteError) -> DeviceRecord {
        let state = state
        if let knownDevice, knownDevice.state == state { return knownDevice.record }
        let record = try readDeviceRecord()
        knownDevice = hasChangedDevice ? nil : state.map { (record, $0) }
        return record
    }

    private func readDeviceRecord() throws(SQLiteError) -> DeviceRecord {
        try using("device's record") { () throws(SQLiteError) in
            let statement = try statement(
                .device,
                "SELECT \(DeviceColumns.names.joined(separator: ", ")) FROM \(Layout.device) WHERE id = 1"
            )
            defer { statement.reset() }
            guard try statement.step() else { throw Self.damage("device's record", "there is none") }
            guard let record = DeviceColumns.read(from: statement) else {
                throw Self.damage("device's record", "a column has a wrong shape")
            }
            return record
        }
    }

    func setDeviceRecord(_ record: DeviceRecord) throws(SQLiteError) {
        // The number of the state stays the same until the commit, and over a rollback.
        knownDevice = nil
        hasChangedDevice = true
        try using("device's record") { () throws(SQLiteError) in
            let assignments = DeviceColumns.names.map { "\($0) = ?" }
            let statement = try statement(
                .setDevice,
                "UPDATE \(Layout.device) SET \(assignments.joined(separator: ", ")) WHERE id = 1"
            )
            defer { statement.reset() }
            try DeviceColumns.bind(record, to: statement)
            _ = try statement.step()
            guard changes == 1 else { throw Self.damage("device's record", "there is none") }
        }
    }

    /// Fills the two tables of a new store.
    func insert(keybag: [UInt8], _ record: DeviceRecord) throws(SQLiteError) {
        try insert(keybag: keybag)
        let columns = DeviceColumns.names
        let insert = try prepare(
            """
            INSERT INTO \(Layout.device) (\(columns.joined(separator: ", ")), id)
            VALUES (\(Layout.placeholders(columns.count)), 1)
            """
        )
        try DeviceColumns.bind(record, to: insert)
        _ = try insert.step()
    }

    func insert(keybag: [UInt8]) throws(SQLiteError) {
        let insert = try prepare("INSERT INTO \(Layout.keybag) (id, bytes) VALUES (1, ?)")
        try insert.bind(keybag, at: 0)
        _ = try insert.step()
    }

    /// Runs `body`; if a table or a column is missing, the error describes its content.
    private func using<Result>(
        _ object: String,
        _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        do throws(SQLiteError) { return try body() } catch {
            throw error.primaryCode == SQLITE_ERROR ? Self.damage(object, "its table is not what it was") : error
        }
    }

    private static func damage(_ object: String, _ why: String) -> SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, operation: "looking for the \(object): \(why)")
    }
}

/// The columns of the device's record in the order in which statements name them.
private enum DeviceColumns {
    static let names = [
        "keybag_revision", "failed_attempts", "interrupted_attempts", "last_attempt_boot", "last_attempt_seconds",
        "last_attempt_date", "auto_lock_seconds", "erase_after_attempts", "owes_log_erasure",
    ]

    /// Unbound parameters are NULL, so only existing values are bound.
    static func bind(_ record: DeviceRecord, to statement: SQLiteStatement) throws(SQLiteError) {
        try statement.bind(record.keybagRevision, at: 0)
        try statement.bind(record.failedAttempts, at: 1)
        try statement.bind(record.interruptedAttempts, at: 2)
        if let time = record.lastAttempt {
            try statement.bind(time.bootIdentifier, at: 3)
            try statement.bind(real: time.secondsSinceBoot, at: 4)
            try statement.bind(real: time.date.secondsSinceReferenceDate, at: 5)
        }
        if let seconds = record.autoLockAfterSeconds { try statement.bind(seconds, at: 6) }
        if let attempts = record.eraseAfterFailedAttempts { try statement.bind(attempts, at: 7) }
        try statement.bind(record.owesLogErasure ? 1 : 0, at: 8)
    }

    /// The record; `nil` when a column has a wrong shape.
    static func read(from statement: SQLiteStatement) -> DeviceRecord? {
        guard let keybagRevision = counter(0, statement), let failedAttempts = counter(1, statement),
            let interruptedAttempts = counter(2, statement), let owesLogErasure = counter(8, statement),
            owesLogErasure <= 1
        else { return nil }
        var record = DeviceRecord()
        record.keybagRevision = keybagRevision
        record.failedAttempts = failedAttempts
        record.interruptedAttempts = interruptedAttempts
        record.owesLogErasure = owesLogErasure == 1
        do {
            record.lastAttempt = try time(statement)
            record.autoLockAfterSeconds = try setting(6, statement)
            record.eraseAfterFailedAttempts = try setting(7, statement)
        } catch {
            return nil
        }
        return record
    }

    private struct WrongShape: Error {}

    /// A count from 0, with room to count on.
    private static func counter(_ column: Int, _ statement: SQLiteStatement) -> Int64? {
        guard statement.type(column) == .integer else { return nil }
        let count = statement.integer(column)
        return (0...(1 << 62)).contains(count) ? count : nil
    }

    private static func setting(_ column: Int, _ statement: SQLiteStatement) throws(WrongShape) -> Int64? {
        if statement.isNull(column) { return nil }
        guard statement.type(column) == .integer, statement.integer(column) > 0 else { throw WrongShape() }
        return statement.integer(column)
    }

    private static func time(_ statement: SQLiteStatement) throws(WrongShape) -> HostTime? {
        if (3...5).allSatisfy({ statement.isNull($0) }) { return nil }
        let (seconds, date) = (statement.real(4), statement.real(5))
        guard statement.type(3) == .text, statement.type(4) == .real, statement.type(5) == .real, seconds.isFinite,
            seconds >= 0, date.isFinite
        else { throw WrongShape() }
        return HostTime(
            bootIdentifier: statement.text(3),
            secondsSinceBoot: seconds,
            date: Timestamp(secondsSinceReferenceDate: date)
        )
    }
}

extension RowReader {
    /// The bytes of the keybag.
    ///
    /// - Throws: `errSecNotAvailable` if there is none.
    package func keybag() throws(KeychainError) -> [UInt8] {
        do { return try connection.keybag() } catch { throw KeychainError(error) }
    }

    /// The record of the device.
    ///
    /// - Throws: `errSecNotAvailable` if there is none, or if it is malformed.
    package func deviceRecord() throws(KeychainError) -> DeviceRecord {
        do { return try connection.deviceRecord() } catch { throw KeychainError(error) }
    }
}

extension RowWriter {
    /// Replaces the keybag; counting ``DeviceRecord/keybagRevision`` up is for the caller.
    package func setKeybag(_ bytes: [UInt8]) throws(KeychainError) {
        do { try connection.setKeybag(bytes) } catch { throw KeychainError(error) }
    }

    /// Replaces the record of the device.
    package func setDeviceRecord(_ record: DeviceRecord) throws(KeychainError) {
        do { try connection.setDeviceRecord(record) } catch { throw KeychainError(error) }
    }
}
