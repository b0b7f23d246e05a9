// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServices

/// The keychain for code that runs as no app: its calls fail, and make the test fail.
package enum MissingApp {
    /// The context of code without a task-local one: that of its queue or of the process, else one that makes the
    /// running test fail at the line of the call and answers `errSecNotAvailable`.
    static var context: KeychainContext? {
        if let app = App.carried { return app.context }
        if reachesProcessKeychain.withLock(\.self) { return nil }
        TestingKit.reportFailure(App.isOnQueueOfEndedTest ? "\(reason) \(reasonOnQueue)" : reason)
        return unavailable
    }

    private static let reachesProcessKeychain = Guarded(false)

    /// Lets calls without an app reach the keychain of the process, for benchmarks of both.
    package static func reachProcessKeychain() { reachesProcessKeychain.withLock { $0 = true } }

    /// The problem, and the remedy in the library that runs the test.
    package static var reason: String { "\(failure) \(TestScope.isOfXCTest ? remedyInXCTest : remedy)" }

    private static let failure = """
        A keychain call was made outside of an app of the testing kit, so it failed with errSecNotAvailable; the user's own \
        keychain was not touched. DispatchQueue.async, Task.detached and threads lose the app that a test runs as. \
        To carry it on: app.bind(to: queue), app.carry { … } or App.current captured before and .run { … } after;
        """

    private static let remedy = """
        for code that cannot be reached, ProcessWideApp.with(app) { … } or @Test(.keychain(processWide: true)), whose app \
        serves no other test. In a test that has no app: @Test(.keychain), or VirtualDevice().install().run { … }.
        """

    private static let remedyInXCTest = """
        for code that cannot be reached, ProcessWideApp.set(app) in setUp(), which ends with the test. In a test that has no \
        app: try VirtualDevice().install().run { … }, or the same ProcessWideApp.set.
        """

    private static let reasonOnQueue =
        "The call ran on a queue that a test had bound which has ended: bind it in each test."

    private static let unavailable = KeychainContext(
        backend: UnavailableKeychain(reason: "this call runs outside of an app of the testing kit"),
        client: Client(accessGroups: [])
    )
}

/// KeychainServices finds it if this module is linked; usable from inline, so that it is found across shared libraries.
@_cdecl("swift_keychain_testing_context")
@usableFromInline
func findContext(_ context: UnsafeMutableRawPointer) {
    context.assumingMemoryBound(to: KeychainContext?.self).pointee = MissingApp.context
}
