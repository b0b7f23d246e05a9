// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Glibc

/// What belongs to the program and a library has to leave alone.
enum HostState {
    /// Prints a line for each part, after the first use of the keychain: `host NAME 0`, or 1 when it has changed.
    static func compare(_ use: () -> Void) {
        let before = parts()
        use()
        for (before, after) in zip(before, parts()) {
            Console.write("host \(after.name) \(before.value == after.value ? 0 : 1)")
        }
        Console.write("dumpable now \(storm_is_dumpable())")
    }

    static var openDescriptors: Int {
        // The folder's own descriptor, `.` and `..` are in the list.
        (entries(of: "/proc/self/fd")?.count ?? 0) - 3
    }

    private static func parts() -> [(name: String, value: String)] {
        var folder = [CChar](repeating: 0, count: Int(PATH_MAX))
        let current = getcwd(&folder, folder.count).map { String(cString: $0) }
        let parts = [
            ("dumpable", "\(storm_is_dumpable())"),
            ("environment", environment()),
            ("folder", current ?? "?"),
            ("limits", lines(of: "/proc/self/limits").joined()),
        ]
        let status = lines(of: "/proc/self/status")
        return parts
            + ["Umask", "SigBlk", "SigIgn", "SigCgt", "NoNewPrivs", "Threads"].map { name in
                (name, status.first { $0.hasPrefix("\(name):") } ?? "?")
            }
    }

    private static func environment() -> String {
        var variables: [String] = []
        var next = environ
        while let variable = next.pointee {
            variables.append(String(cString: variable))
            next += 1
        }
        return variables.joined(separator: ";")
    }

    private static func lines(of path: String) -> [String] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var lines: [String] = []
        var buffer = [CChar](repeating: 0, count: 1024)
        while let line = fgets(&buffer, Int32(buffer.count), file) {
            lines.append(String(String(cString: line).dropLast()))
        }
        return lines
    }

    private static func entries(of path: String) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) { names.append("\(entry.pointee.d_ino)") }
        return names
    }
}
