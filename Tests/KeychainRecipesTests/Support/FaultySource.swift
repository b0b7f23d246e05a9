// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainRecipes

/// A source with a fault.
struct FaultySource: SecretSource {
    let source: any SecretSource
    let fault: String

    var name: String { source.name }

    func read() throws(SecretSourceError) -> Data? {
        if fault == "read" { throw SecretSourceError(.unreadable, source: name) }
        return try source.read()
    }

    func remove(_ secret: Data) throws(SecretSourceError) {
        if fault == "pretend" { return }
        if fault == "remove" { throw SecretSourceError(.notRemoved, source: name) }
        try source.remove(secret)
        if fault == "removeAfter" { throw SecretSourceError(.notRemoved, source: name) }
    }
}
