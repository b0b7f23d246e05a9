// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// The units of a service manager, told by the control groups that it puts their processes into (cgroups(7)).
///
/// Those of the system's manager are proof, because only root moves processes there. A user may move processes between
/// the units of the user's own manager; a program in a sandbox may not.
package struct ManagedUnits: Sendable, Hashable {
    /// The control group of the manager, as parts of a path.
    private let manager: [String]

    /// The units of the manager that has started a process.
    ///
    /// - Parameter text: the file `/proc/PID/cgroup` of the process, which is a service; `nil` if it is in no unit.
    package init?(ofManagerOf text: [UInt8]) {
        guard var parts = Self.parts(of: text), parts.popLast() != nil else { return nil }
        self.init(manager: Self.withoutSlices(&parts))
    }

    private init(manager: [String]) { self.manager = manager }

    /// Those of the manager that has started this one, as the system's has a user's; `nil` for the first one.
    package var ofOuterManager: ManagedUnits? {
        var parts = manager
        guard parts.popLast() != nil else { return nil }
        return ManagedUnits(manager: Self.withoutSlices(&parts))
    }

    /// The unit that a process is in.
    ///
    /// - Parameter text: the file `/proc/PID/cgroup` of the process.
    /// - Returns: Its name; `nil` if the process is in none of them.
    package func unit(of text: [UInt8]) -> String? {
        guard let parts = Self.parts(of: text), parts.starts(with: manager) else { return nil }
        // Below its unit, a process may be in a group that the unit itself has made.
        guard let name = parts.dropFirst(manager.count).first(where: { !$0.hasSuffix(Self.slice) }) else { return nil }
        // The manager puts it before names that have a meaning for the kernel.
        return name.hasPrefix("_") ? String(name.dropFirst()) : name
    }

    private static let slice = ".slice"

    private static func withoutSlices(_ parts: inout [String]) -> [String] {
        while parts.last?.hasSuffix(slice) == true { parts.removeLast() }
        return parts
    }

    private static func parts(of text: [UInt8]) -> [String]? {
        guard let path = ControlGroup(text: text)?.path, !path.hasSuffix(" (deleted)"), !path.contains("//") else {
            return nil
        }
        let parts = path.pathNames
        return parts.contains("..") ? nil : parts
    }
}
