// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The keychain's record of a device key, including which of the two kinds it is.
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
