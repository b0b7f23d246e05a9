// SPDX-License-Identifier: Apache-2.0

import Glibc

extension PrivateDirectory {
    /// The names in the folder that begin like this; none when the folder cannot be read.
    public func names(beginningWith prefix: String) -> [String] {
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
