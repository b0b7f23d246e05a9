// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Glibc
import ServerTestSupport
import Testing

/// The stack of a thread, zero before the thread begins, that can be looked at after its end.
final class ThreadStack {
    private let bytes: UnsafeMutableRawBufferPointer
    private var bodyOffset = 0

    /// More than any call uses.
    private static let byteCount = 1 << 20

    init() throws {
        let mapping = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapping, mapping != MAP_FAILED else { throw StormProcess.Failure.system("mapping a stack", errno) }
        bytes = UnsafeMutableRawBufferPointer(start: mapping, count: Self.byteCount)
    }

    deinit { munmap(bytes.baseAddress, bytes.count) }

    /// Runs `body` in a thread of its own on the stack.
    func run(_ body: @escaping () throws -> Void) throws {
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        let call = Call(body)
        let failure = storm_run_on_stack(
            bytes.baseAddress,
            bytes.count,
            { context in
                guard let context else { return }
                Unmanaged<Call>.fromOpaque(context).takeUnretainedValue().run()
            },
            Unmanaged.passUnretained(call).toOpaque()
        )
        guard failure == 0 else { throw StormProcess.Failure.system("running a thread", failure) }
        bodyOffset = Int(call.frame - UInt(bitPattern: bytes.baseAddress))
        try call.result?.get()
    }

    // The thread that runs it has ended before anybody looks at it again.
    private final class Call {
        private let body: () throws -> Void
        private(set) var frame: UInt = 0
        private(set) var result: Result<Void, any Error>?

        init(_ body: @escaping () throws -> Void) { self.body = body }

        @inline(never)
        func run() {
            var mark: UInt8 = 0
            frame = withUnsafeMutablePointer(to: &mark) { UInt(bitPattern: $0) }
            result = Result(catching: body)
        }
    }

    /// How many bytes below the frame of the body the deepest byte lies that was written and not wiped.
    var depth: Int { bodyOffset - (bytes.firstIndex { $0 != 0 } ?? bodyOffset) }

    /// How many bytes are not zero between two distances from the frame of the body.
    func usedBytes(_ distances: Range<Int>) -> Int {
        let range = max(bodyOffset - distances.upperBound, 0)..<max(bodyOffset - distances.lowerBound, 0)
        return bytes[range].count { $0 != 0 }
    }

    /// The names of the byte strings of which sixteen bytes in a row, counted from a multiple of sixteen, lie on the
    /// stack.
    func found(_ strings: [String: [UInt8]]) -> Set<String> {
        let stack = bytes.bindMemory(to: UInt8.self)
        var fragments: [[UInt8]: String] = [:]
        for (name, string) in strings {
            for start in stride(from: 0, through: string.count - 16, by: 16) {
                fragments[Array(string[start..<start + 16])] = name
            }
        }
        let beginnings = Set(fragments.keys.map { $0[0] })
        var found: Set<String> = []
        for start in stack.indices.dropLast(15) where beginnings.contains(stack[start]) {
            if let name = fragments[Array(stack[start..<start + 16])] { found.insert(name) }
        }
        return found
    }
}
