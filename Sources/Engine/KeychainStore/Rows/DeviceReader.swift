// SPDX-License-Identifier: Apache-2.0

import KeychainCore

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
