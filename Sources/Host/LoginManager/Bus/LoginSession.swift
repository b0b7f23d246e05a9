// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc

/// The session of a process, as the login manager knows it (sd-login(3)).
package enum LoginSession {
    /// Whether somebody at another computer has the session of a process; `nil` if it has no session.
    package static func isRemote(_ process: Int32) -> Bool? {
        var name: UnsafeMutablePointer<CChar>?
        guard sd_pid_get_session(process, &name) >= 0, let name else { return nil }
        defer { free(name) }
        let isRemote = sd_session_is_remote(name)
        return isRemote < 0 ? nil : isRemote > 0
    }
}
