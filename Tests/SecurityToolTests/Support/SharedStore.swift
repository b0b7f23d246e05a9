// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainServices
import KeychainTestSupport
import Security
import SecurityTranscripts
import Testing

extension ToolUser {
    /// Calls the item functions as a program of the user would.
    func asProgram<Result>(
        groups: [String] = ["swift-keychain.program.example", Client.commonGroup],
        _ body: () throws -> Result
    ) rethrows -> Result {
        let context = KeychainContext(
            backend: EmbeddedKeychain(at: KeychainLocation(path: keychainPath)),
            client: Client(accessGroups: groups)
        )
        return try KeychainContext.$current.withValue(context, operation: body)
    }

    /// Calls the item functions as a program that writes to the common group.
    func asPerson<Result>(_ body: () throws -> Result) rethrows -> Result {
        try asProgram(groups: [Client.commonGroup, "*"], body)
    }
}

/// The item functions with Swift dictionaries.
enum Items {
    static func add(_ attributes: [CFString: Any]) -> OSStatus { SecItemAdd(attributes as CFDictionary, nil) }

    static func copy(_ query: [CFString: Any]) -> (status: OSStatus, result: CFTypeRef?) {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return (status, result)
    }
}
