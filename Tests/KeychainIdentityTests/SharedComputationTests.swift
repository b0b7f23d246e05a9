// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainIdentity

/// One hash of a file for all that wait for it.
@Suite(.timeLimit(.minutes(2)))
struct SharedComputationTests {
    @Test("whoever asks during a computation shares the next one, and none that had begun before")
    func shared() {
        let computation = SharedComputation<Int, Int>()
        let asked = Mutex(0)
        let begun = Mutex(0)
        let gate = DispatchSemaphore(value: 0)
        let values = Mutex<[Int]>([])
        let ended = DispatchGroup()
        let ask = { @Sendable (key: Int) in
            ended.enter()
            Thread.detachNewThread {
                asked.withLock { $0 += 1 }
                let value = computation.value(of: key) {
                    let number = begun.withLock { begun in
                        begun += 1
                        return begun
                    }
                    gate.wait()
                    return number
                }
                values.withLock { $0.append(value) }
                ended.leave()
            }
        }
        ask(1)
        #expect(eventually("the first computes") { begun.withLock(\.self) == 1 })
        for _ in 0..<20 { ask(1) }
        #expect(eventually("the others ask") { asked.withLock(\.self) == 21 })
        // Another key is computed meanwhile.
        ask(2)
        #expect(eventually("it is computed") { begun.withLock(\.self) == 2 })
        while ended.wait(timeout: .now() + .milliseconds(1)) != .success { gate.signal() }
        // One that asked late, when all of the others had it already, computes once more.
        let counts = values.withLock { values in Dictionary(grouping: values) { $0 }.mapValues(\.count) }
        #expect(counts.values.reduce(0, +) == 22)
        #expect(counts[1] == 1, "the value of what had begun before is nobody else's: \(counts)")
        #expect(begun.withLock(\.self) < 22, "\(counts)")
        #expect(computation.value(of: 1) { 0 } == 0)
    }

    @Test("a file that many threads ask for is hashed rightly for each, also after a change")
    func files() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "file")
        let hashes = ExecutableHashes()
        for contents in ["one", "another", "a third"] {
            try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
            let right = Mutex(0)
            DispatchQueue.concurrentPerform(iterations: 32) { _ in
                let file = open(path, O_RDONLY | O_CLOEXEC)
                defer { close(file) }
                let digest = try? hashes.digest(of: file, path).0
                let own = SHA256Value(ofFile: file, byteCount: contents.utf8.count)
                if digest != nil, digest == own { right.withLock { $0 += 1 } }
            }
            #expect(right.withLock(\.self) == 32)
        }
    }
}
