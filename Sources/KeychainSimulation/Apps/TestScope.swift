// SPDX-License-Identifier: Apache-2.0

/// A test, as far as it matters to what is set up in it: the queues that it binds to an app are bound until it ends.
package final class TestScope: Sendable {
    private let state = Guarded(State())

    private struct State {
        var isOver = false
        var bindings: [QueueBinding] = []
    }

    /// That of the test whose task this is.
    @TaskLocal package static var ofTask: TestScope?

    /// That of the `XCTestCase` that runs, or of its class; `nil` outside of XCTest.
    package static let ofProcess = Guarded<TestScope?>(nil)

    /// A test that begins.
    package init() {}

    static var current: TestScope? { ofTask ?? ofProcess.withLock(\.self) }

    /// Ends what was set up in it.
    package func end() {
        let bindings = state.withLock { state in
            state.isOver = true
            defer { state.bindings = [] }
            return state.bindings
        }
        for binding in bindings { binding.end() }
    }

    /// Has a binding end with the test, at once where it is over.
    func add(_ binding: QueueBinding) {
        let isOver = state.withLock { state in
            if !state.isOver { state.bindings.append(binding) }
            return state.isOver
        }
        if isOver { binding.end() }
    }
}

/// The app of a queue, until its test ends.
final class QueueBinding: Sendable {
    private let state: Guarded<App?>

    init(_ app: App) { state = Guarded(app) }

    /// The app; `nil` once the test has ended.
    var app: App? { state.withLock(\.self) }

    func end() { state.withLock { $0 = nil } }
}
