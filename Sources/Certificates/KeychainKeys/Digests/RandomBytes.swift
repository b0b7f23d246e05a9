// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

extension SecretBytes {
    /// Bytes from the library's random generator.
    package init(random count: Int) {
        self = SymmetricKey(size: SymmetricKeySize(bitCount: 8 * count)).withUnsafeBytes { SecretBytes(copying: $0) }
    }
}
