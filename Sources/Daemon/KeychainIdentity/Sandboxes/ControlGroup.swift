// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// The control group of a process, in the hierarchy that the service manager keeps (cgroups(7), `/proc/PID/cgroup`).
struct ControlGroup: Sendable, Hashable {
    /// The path, as it is seen from this process's cgroup namespace.
    let path: String

    /// Reads the file: the line of the unified hierarchy, else that of systemd's own; `nil` when there is neither.
    init?(text: [UInt8]) {
        var paths: [String: String] = [:]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, let controllers = String(validating: parts[1], as: UTF8.self),
                let path = String(validating: parts[2], as: UTF8.self), path.isAbsolutePath
            else { return nil }
            paths[controllers] = path
        }
        // A system that uses both has its units in the second.
        guard let path = [paths["name=systemd"], paths[""]].compactMap({ $0 }).first(where: { $0 != "/" }) else {
            return nil
        }
        self.path = path
    }

    /// The system manager's service that the process is in; `nil` if there is none, and for one that runs code of many
    /// users.
    ///
    /// Only root can put a process there. A user's manager proves nothing: its user may move any process into any of
    /// its units.
    var systemUnit: String? {
        let parts = path.pathNames
        guard parts.first == "system.slice", !parts.contains(".."), !path.contains("//"),
            !path.hasSuffix(" (deleted)")
        else { return nil }
        guard let unit = parts.first(where: { !$0.hasSuffix(".slice") }) else { return nil }
        return Self.isServiceName(unit) && !Self.runsCodeOfUsers(unit) ? unit : nil
    }

    /// Whether a service, or an instance of it (`NAME@INSTANCE.service`), runs commands for users.
    private static func runsCodeOfUsers(_ unit: String) -> Bool {
        servicesOfUsers.contains(String(unit.dropLast(".service".count).prefix { $0 != "@" }))
    }

    /// Services that run code of many users in their own control group, unless pam_systemd(8) moves it into a session.
    private static let servicesOfUsers: Set<String> = [
        // jobs
        "anacron", "at", "atd", "cron", "crond", "cronie", "fcron",
        // remote logins
        "dropbear", "ssh", "sshd",
        // display managers
        "display-manager", "gdm", "gdm3", "greetd", "lightdm", "lxdm", "ly", "sddm", "xdm",
        // terminals
        "autovt", "console-getty", "container-getty", "container-shell", "getty", "kmsconvt", "serial-getty",
        // sessions
        "systemd-logind", "user",
    ]

    /// Names of units: at most 255 characters of these (systemd.unit(5)).
    private static func isServiceName(_ name: String) -> Bool {
        name.hasSuffix(".service") && name.utf8.count > ".service".utf8.count && name.utf8.count <= 255
            && name.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789:-_.\\@".unicodeScalars.contains($0))
            }
    }

    /// The snap that a part of the path names, such as `snap.firefox.firefox-….scope`; `nil` for none.
    var snap: String? {
        for part in path.pathNames where part.hasPrefix("snap.") {
            let words = part.split(separator: ".")
            if words.count >= 3 { return String(words[1]) }
        }
        return nil
    }
}
