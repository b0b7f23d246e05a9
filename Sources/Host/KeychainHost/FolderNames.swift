// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The names in a folder.
package enum FolderNames {
    /// Those that begin like this, in no order; none when the folder cannot be read.
    package static func of(_ path: String, beginningWith prefix: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
                start.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: start.pointee)) {
                    String(cString: $0)
                }
            }
            if name.hasPrefix(prefix) { names.append(name) }
        }
        return names
    }
}
