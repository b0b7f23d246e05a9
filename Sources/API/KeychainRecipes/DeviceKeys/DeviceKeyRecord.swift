// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the keychain holds of a device key; which of the two kinds it is, is recorded with it.
struct DeviceKeyRecord: Codable, Sendable {
    var version = 1
    var purpose: Purpose
    var origin: DeviceKeyOrigin
    /// X9.63.
    var publicKey: Data
    /// The enclave's sealed form, or the raw key.
    var privateKey: Data

    enum Purpose: String, Codable, Sendable {
        case signing
        case agreement
    }
}
