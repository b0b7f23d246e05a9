// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension LookupAttributes: ExpressibleByDictionaryLiteral {
    /// Pairs that are written down.
    package init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }
}
