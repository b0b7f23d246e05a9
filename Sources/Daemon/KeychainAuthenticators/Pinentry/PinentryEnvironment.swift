// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The information that a pinentry receives about the prompting process.
package struct PinentryEnvironment {
    let value: @Sendable (String) -> String?

    /// The variables that name a display.
    package static let displays = ["WAYLAND_DISPLAY", "DISPLAY"]

    /// Variables for where and how to show a dialog.
    private static let names = [
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP",
        "XDG_DATA_DIRS", "DBUS_SESSION_BUS_ADDRESS", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL",
        "LC_CTYPE", "LC_MESSAGES", "TERM", "PINENTRY_USER_DATA",
    ]

    /// The environment of its process: no other variables, and a search path of the system's own.
    var variables: [String: String] {
        var variables = ["PATH": "/usr/local/bin:/usr/bin:/bin"]
        for name in Self.names { variables[name] = value(name) }
        return variables
    }

    /// Options of the protocol, for those that show their dialog on a terminal: which one, if the process has it.
    func options(terminal: String?) -> [String] {
        var options: [String] = []
        if let terminal {
            options.append("ttyname=\(terminal)")
            if let type = value("TERM") { options.append("ttytype=\(type)") }
        }
        if let locale = locale("LC_CTYPE") { options.append("lc-ctype=\(locale)") }
        if let locale = locale("LC_MESSAGES") { options.append("lc-messages=\(locale)") }
        return options
    }

    private func locale(_ category: String) -> String? { value("LC_ALL") ?? value(category) ?? value("LANG") }
}
