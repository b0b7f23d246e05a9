// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Glibc
import ServerTestSupport

/// The memory of a process that stands still, as a child that waits for its next command.
struct MemoryImage {
    let process: pid_t

    /// The memory of a process of the storm.
    init(process: StormProcess) { self.process = process.identifier }

    /// The memory of any process.
    init(processIdentifier: pid_t) { process = processIdentifier }

    /// Whether the kernel lets this process look at the memory of its children; some are set up not to.
    static let isReadable: Bool = {
        guard let process = try? StormProcess("/nonexistent") else { return false }
        // An answer means that the child runs the helper.
        guard (try? process.ask("descriptors")) != nil else { return false }
        return (try? MemoryImage(process: process).count([[1, 2]])) != nil
    }()

    /// Which part of the memory is meant.
    enum Part {
        /// Everything that can be read.
        case all
        /// What is left out of core dumps: the memory that holds keys.
        case undumpable
    }

    /// How often each of some byte strings lies in the memory, as a whole.
    func count(_ strings: [[UInt8]], in part: Part = .all) throws -> [Int] {
        let buffers = strings.map { string in
            let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: string.count)
            _ = buffer.update(from: string)
            return buffer
        }
        defer { for buffer in buffers { buffer.deallocate() } }
        var needles = buffers.map { storm_needle(bytes: $0.baseAddress, count: $0.count, found: 0) }
        guard storm_search_process(process, part == .undumpable ? 1 : 0, &needles, needles.count) > 0 else {
            throw StormProcess.Failure.system("reading memory", errno)
        }
        return needles.map { Int($0.found) }
    }

    /// The names of the byte strings that are there.
    func found(_ strings: [String: [UInt8]], in part: Part = .all) throws -> Set<String> {
        let strings = Array(strings)
        let counts = try count(strings.map(\.value), in: part)
        return Set(zip(strings, counts).filter { $0.1 > 0 }.map(\.0.key))
    }
}
