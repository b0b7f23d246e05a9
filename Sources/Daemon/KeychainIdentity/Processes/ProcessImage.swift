// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The memory of a process as execve(2) made it.
///
/// An open list of mappings (proc(5), `maps`) belongs to that memory, and is empty once the process has executed
/// another program: one that executes its first program again cannot hide that it was another meanwhile.
final class ProcessImage: Sendable {
    private let map: Descriptor

    /// The memory of an open `maps`; `nil` when that has gone already.
    init?(map: consuming Descriptor) {
        self.map = map
        guard isCurrent else { return nil }
    }

    /// Whether the process has that memory still.
    var isCurrent: Bool {
        var byte: UInt8 = 0
        return pread(map.number, &byte, 1, 0) == 1
    }
}
