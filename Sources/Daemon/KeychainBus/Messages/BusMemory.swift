// SPDX-License-Identifier: Apache-2.0

/// How many bytes of bodies a bus holds, for one thread.
package final class BusMemory {
    private let maximum: Int
    /// How many bytes there are.
    private(set) var count = 0

    /// Called when there is no room for more: whether they are held nevertheless, because room was made or has to be.
    var makeRoom: ((Int) -> Bool)?

    /// No bytes yet.
    package init(atMost maximum: Int) { self.maximum = maximum }

    /// Whether there is room for more.
    func hasRoom(for bytes: Int) -> Bool { count + bytes <= maximum }

    func add(_ bytes: Int) -> Bool {
        guard hasRoom(for: bytes) || makeRoom?(bytes) ?? false else { return false }
        count += bytes
        return true
    }

    /// Counts what is held in any case; room is made later.
    func addWithoutRoom(_ bytes: Int) { count += bytes }

    func subtract(_ bytes: Int) { count -= bytes }
}
