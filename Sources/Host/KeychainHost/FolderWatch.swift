// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSupport

/// Watches for files of a folder that are created, renamed, removed or written (inotify(7)).
package final class FolderWatch: Sendable {
    /// The events to watch for.
    package enum Events: Sendable {
        /// Names that appear in the folder.
        case newNames
        /// Names that appear in the folder, or disappear.
        case names
        /// Names that appear in the folder, and writes to files.
        case newNamesAndWrites

        fileprivate var mask: UInt32 {
            switch self {
            case .newNames: UInt32(IN_CREATE | IN_MOVED_TO)
            case .names: UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM)
            case .newNamesAndWrites: UInt32(IN_CREATE | IN_MOVED_TO | IN_MODIFY)
            }
        }
    }

    /// Becomes readable when there are events.
    package let descriptor: Int32

    private let serial: UInt64

    /// Watches a folder.
    ///
    /// - Throws: ``FileError`` if it does not exist, or if the user has reached the limit of watches.
    package init(_ path: String, for events: Events) throws(FileError) {
        descriptor = CSupport.openFolderWatch()
        let failure = errno
        serial = CSupport.privateSerial(descriptor)
        guard descriptor >= 0 else { throw .system(call: "inotify_init1", path: path, errno: failure) }
        guard inotify_add_watch(descriptor, path, events.mask | UInt32(IN_MOVE_SELF | IN_ONLYDIR)) >= 0 else {
            throw .system(call: "inotify_add_watch", path: path, errno: errno)
        }
    }

    deinit {
        // Otherwise its number may be another file's.
        if isOpen { CSupport.closePrivate(descriptor) }
    }

    /// Whether the descriptor is still open.
    ///
    /// In a forked child, and after the program has closed it, its number may be another file's.
    private var isOpen: Bool { CSupport.isPrivateOpening(descriptor, serial) }

    /// Reads the pending events, without waiting.
    ///
    /// - Returns: The names of files; `nil` if events were lost, the folder was removed or renamed, or the program has
    ///   closed the descriptor.
    package func readChangedNames() -> Set<String>? {
        guard isOpen else { return nil }
        var names: Set<String> = []
        var isComplete = true
        let header = MemoryLayout<inotify_event>.size
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                var offset = 0
                while offset + header <= count {
                    let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let name = buffer[(offset + header)..<min(count, offset + header + Int(event.len))].prefix {
                        $0 != 0
                    }
                    if event.mask & UInt32(IN_Q_OVERFLOW | IN_IGNORED | IN_MOVE_SELF) != 0 { isComplete = false }
                    if !name.isEmpty { names.insert(String(decoding: name, as: UTF8.self)) }
                    offset += header + Int(event.len)
                }
            }
        }
        return isComplete ? names : nil
    }

    /// Blocks until there are events, for a limited time; -1 for no limit.
    package func wait(milliseconds: Int32 = -1) {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&watched, 1, milliseconds)
    }
}
