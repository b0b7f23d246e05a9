// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Foundation
import Runtime
import Synchronization
import Testing

@testable import KeychainTesting

struct CallStackTests {
    /// What a function without a frame pointer was called with last.
    private static let stack = Mutex<CallStack?>(nil)

    /// The stack of a closure that a function without a frame pointer calls.
    private static func stackWithoutFramePointer() -> CallStack? {
        storm_call_without_frame_pointer {
            let stack = CallStack.capture()
            CallStackTests.stack.withLock { $0 = stack }
        }
        return stack.withLock(\.self)
    }

    @Test("a caller that keeps no frame pointer ends neither the stack nor the process")
    func withoutFramePointer() async {
        await #expect(processExitsWith: .success) {
            let stack = try #require(Self.stackWithoutFramePointer())
            #expect(stack.findLocation()?.path == #filePath)
            // The closure, the function around it, and the caller of that.
            let functions = stack.functions.stack
            #expect(functions.filter { $0.contains("CallStackTests") }.count > 2, "\(functions)")
        }
    }

    @Test("nor does it in a task, where an asynchronous function is the last on the stack")
    func withoutFramePointerInTask() async {
        await #expect(processExitsWith: .success) {
            let stack = try #require(await Task { Self.stackWithoutFramePointer() }.value)
            #expect(stack.findLocation()?.path == #filePath)
            let functions = stack.functions.stack
            #expect(functions.filter { $0.contains("CallStackTests") }.count > 2, "\(functions)")
        }
    }

    @Test("a backtrace of one address has it")
    func backtrace() throws {
        let address = 0x1234_5678_9abc_def0 as UInt64
        let backtrace = try #require(Backtrace(programCounter: address))
        #expect(
            backtrace.frames.map(\.description) == [Backtrace.Frame.programCounter(.init(address)).description]
        )
    }

    @Test("the callers of an asynchronous function are its continuations, the nearest first")
    func continuations() async {
        @Sendable func inner() async -> [String] { CallStack.capture().functions.stack }
        @Sendable func middle() async -> [String] { await inner() + [] }
        @Sendable func outer() async -> [String] { await middle() + [] }
        let functions = await Task { await outer() }.value
        let order = ["inner #1", "middle #1", "outer #1"].map { name in functions.firstIndex { $0.contains(name) } }
        #expect(order == [0, 1, 2], "\(functions)")
    }

    @Test("also those of one that a library's function called, each at its line")
    func continuationsOfLibrary() async throws {
        @Sendable func inner() async -> CallStack {
            await withCheckedContinuation { $0.resume(returning: CallStack.capture()) }
        }
        @Sendable func outer() async -> CallStack {
            let stack = await inner()  // The caller of inner.
            return stack
        }
        let stack = await Task { await outer() }.value
        let functions = stack.functions
        let index = try #require(functions.stack.lastIndex { $0.contains("outer #1") }, "\(functions.stack)")
        #expect(functions.stack[..<index].contains { $0.contains("inner #1") }, "\(functions.stack)")
        let continuation = [stack.addresses[functions.callerIndices[index]]]
        let location = CallStack(addresses: continuation, functions: CalledFunctions(continuation)).findLocation()
        #expect(location?.line == #line - 9)
    }

    @Test("a library that another thread unloads meanwhile ends no process")
    func unloaded() async {
        await #expect(processExitsWith: .success) {
            // A file that nothing else has mapped.
            var path = Array("\(FileManager.default.temporaryDirectory.path)/library-XXXXXX".utf8CString)
            let file = mkstemp(&path)
            unlink(path)
            #expect(ftruncate(file, 1 << 15) == 0)
            for _ in 0..<2 {
                Thread {
                    while let library = mmap(nil, 1 << 15, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) {
                        usleep(20)
                        munmap(library, 1 << 15)
                    }
                }.start()
            }
            for _ in 0..<1_000 { #expect(!CallStack.capture().addresses.isEmpty) }
        }
    }

    @Test("a caller is found by its function and its line, also from an asynchronous function")
    func caller() async {
        func here() async -> CallStack { await Task { CallStack.capture() }.value }
        for stack in [CallStack.capture(), await here()] {
            #expect(stack.findLocation()?.path == #filePath)
            #expect(stack.addresses.count > 3)
            let functions = stack.functions
            #expect(functions.caller?.contains("CallStackTests.caller()") == true)
            #expect(functions.stack.contains { $0.contains("KeychainTestingTests.CallStackTests.caller()") })
        }
    }

    @Test(
        "a function is called as a person does",
        arguments: [
            (
                "KeychainServices.SecItemAdd(_: Foundation.CFDictionary, _: Swift.Optional<Any>) -> Swift.Int32",
                "SecItemAdd()"
            ),
            (
                "closure #1 @Sendable () -> () in App.Session.refresh(after: Swift.Int) -> ()",
                "a closure in Session.refresh()"
            ),
            (
                "closure #2 () -> () in closure #1 () -> () in (extension in App):Swift.Array.each<A>(A) -> ()",
                "a closure in Array.each()"
            ),
            ("static App.(Store in _0123456789ABCDEF).save(Foundation.Data) throws -> ()", "Store.save()"),
            ("(2) await resume partial function for App.Session.load() async -> Swift.Int", "Session.load()"),
            ("App.main() -> ()", "main()"),
        ]
    )
    func name(_ demangled: String, _ name: String) { #expect(FunctionName(demangled: demangled).description == name) }
}
