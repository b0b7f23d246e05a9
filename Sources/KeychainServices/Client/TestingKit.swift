// SPDX-License-Identifier: Apache-2.0

import Foundation

@_implementationOnly import CKeychainSupport

/// What the testing kit brings along, in a process that it is linked into.
package enum TestingKit {
    /// Whether the kit is part of this process.
    package static var isLinked: Bool { keychain_testing_is_linked() != 0 }

    /// The context of a call that has no task-local one: `nil` where the kit is not linked.
    static var context: KeychainContext? {
        guard isLinked else { return nil }
        var context: KeychainContext?
        withUnsafeMutablePointer(to: &context) { keychain_testing_find_context($0) }
        return context
    }

    /// Has the test that is running fail for a reason; says it on standard error where the kit is not linked.
    package static func complain(_ reason: String) {
        guard keychain_testing_complain(reason) == 0 else { return }
        FileHandle.standardError.write(Data("\(reason)\n".utf8))
    }
}
