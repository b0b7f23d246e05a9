// SPDX-License-Identifier: Apache-2.0

/// The scope of a test: queues that are bound in it stay bound until it ends, and the logs of its devices are kept.
package final class TestScope: Sendable {
    private let state = Guarded(State())

    private struct State {
        var isOver = false
        var bindings: [QueueBinding] = []
        var logs: [CallLog] = []
    }

    /// The scope of the current task's test.
    @TaskLocal package static var ofTask: TestScope?

    /// The scope of the running `XCTestCase`, or of its class; `nil` outside of XCTest.
    package static let ofProcess = Guarded<TestScope?>(nil)

    /// Begins the scope of a test.
    package init() {}

    /// Whether the current code belongs to a test of XCTest, as far as that is known.
    static var isOfXCTest: Bool { ofTask == nil && ofProcess.withLock { $0 != nil } }

    static var current: TestScope? { ofTask ?? ofProcess.withLock(\.self) }

    /// Ends the scope and its bindings.
    package func end() {
        let bindings = state.withLock { state in
            state.isOver = true
            defer { (state.bindings, state.logs) = ([], []) }
            return state.bindings
        }
        for binding in bindings { binding.end() }
    }

    /// The logs of the devices that were created in it, until it ends.
    package var logs: [CallLog] { state.withLock(\.logs) }

    /// Keeps the log of a device that was created in it.
    func add(_ log: CallLog) {
        state.withLock { if !$0.isOver { $0.logs.append(log) } }
    }

    /// Makes a binding end with the test, or immediately if that has ended.
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
