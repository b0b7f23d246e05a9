// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The testing kit's functions, in a process that links it.
package enum TestingKit {
    // Of CKeychainSupport; for why they are declared here, see Architecture, "Three ways in".
    @_extern(c, "keychain_testing_is_linked") private static func isLinkedFlag() -> Int32
    @_extern(c, "keychain_testing_find_context") private static func findContext(_ context: UnsafeMutableRawPointer)
    @_extern(c, "keychain_testing_complain") private static func failTest(_ reason: UnsafePointer<CChar>) -> Int32

    /// Whether a call may run outside of an app, because it needs no keychain.
    @TaskLocal static var allowsMissingApp = false

    /// Whether the kit is part of this process.
    package static var isLinked: Bool { isLinkedFlag() != 0 }

    /// The context of a call without a task-local one: `nil` if the kit is not linked.
    static var context: KeychainContext? {
        guard isLinked else { return nil }
        var context: KeychainContext?
        withUnsafeMutablePointer(to: &context) { findContext($0) }
        return context
    }

    /// Makes the running test fail for a reason; prints it on standard error if the kit is not linked.
    package static func reportFailure(_ reason: String) {
        guard !allowsMissingApp, failTest(reason) == 0 else { return }
        FileHandle.standardError.write(Data("\(reason)\n".utf8))
    }
}
