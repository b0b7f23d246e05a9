// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The name of a program's file, as the access group of a program without entitlements has it.
struct ProgramName {
    let name: String

    /// The program whose own group this is; `nil` for any other group.
    init?(group: String) {
        let prefix = Client.group(ofProgram: "")
        guard group.hasPrefix(prefix), group.utf8.count > prefix.utf8.count else { return nil }
        name = String(group.dropFirst(prefix.count))
    }

    /// The program of another name whose own group this is, for a client that has the group of its own name; `nil` for
    /// other groups, and for other clients.
    init?(group: String, otherThanOf groups: [String]) {
        self.init(group: group)
        guard !groups.contains(group), groups.contains(where: { ProgramName(group: $0) != nil }) else { return nil }
    }

    /// Whether both are releases of one program, by their names: the same without the version at the end.
    func isRelease(of groups: [String]) -> Bool {
        groups.contains { group in
            if let other = ProgramName(group: group) { return other.stem == stem }
            // The identity of a program, such as com.example.tool.
            return group.split(separator: ".").last.map { String($0) == stem } ?? false
        }
    }

    private var stem: String {
        let version: Set<Character> = ["-", "_", ".", "v", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
        let stem = name.reversed().drop { version.contains($0) }.reversed()
        return stem.isEmpty ? name : String(stem)
    }
}
