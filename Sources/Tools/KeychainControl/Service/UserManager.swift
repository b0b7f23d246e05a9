// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The user's systemd (`systemctl --user`), if one is running.
struct UserManager: Sendable {
    /// The folder of the user's units (systemd.unit(5)).
    let unitFolder: String

    /// Runs `systemctl --user` with arguments, and returns whether it succeeded.
    let run: @Sendable ([String]) -> Bool

    /// The systemd of the current user; `nil` if none is running, as in a container.
    static func current(
        environment: (String) -> String? = ProcessEnvironment.value,
        homeOfUser: () -> String? = KeychainLocation.homeFromUserDatabase,
        output: @escaping @Sendable ([String]) throws(Refusal) -> String
    ) -> UserManager? {
        // The private socket that systemctl connects to (sd_booted(3) covers only the system's).
        guard let runtime = RuntimeFolder.path(environment), access("\(runtime)/systemd/private", F_OK) == 0 else {
            return nil
        }
        let configuration = environment("XDG_CONFIG_HOME").flatMap { $0.isAbsolutePath ? $0 : nil }
        let home = environment("HOME").flatMap { $0.isAbsolutePath ? $0 : nil } ?? homeOfUser()
        guard let folder = configuration ?? home.map({ "\($0)/.config" }) else { return nil }
        return UserManager(unitFolder: "\(folder)/systemd/user") { arguments in
            (try? output(["systemctl", "--user", "--quiet"] + arguments)) != nil
        }
    }

    /// Whether a package has installed the units.
    var hasPackagedUnits: Bool {
        run(["cat", SystemdUnits.socketUnit]) && access("\(unitFolder)/\(SystemdUnits.socketUnit)", F_OK) != 0
    }

    /// Whether it listens, or will after the next login.
    var isListening: Bool {
        run(["is-enabled", SystemdUnits.socketUnit]) || run(["is-active", SystemdUnits.socketUnit])
    }

    /// Makes systemd listen on the socket from now on, also after the next login.
    func start() throws(Refusal) {
        guard run(["daemon-reload"]), run(["enable", "--now", SystemdUnits.socketUnit]) else {
            throw Refusal(
                "systemd did not start \(SystemdUnits.socketUnit); see 'systemctl --user status \(SystemdUnits.socketUnit)'"
            )
        }
    }

    /// Stops and disables both units.
    func stop() {
        _ = run(["disable", "--now", SystemdUnits.socketUnit])
        _ = run(["stop", SystemdUnits.serviceUnit])
    }

    /// Restarts the daemon; its socket stays open.
    func restart() -> Bool { run(["restart", SystemdUnits.serviceUnit]) }
}
