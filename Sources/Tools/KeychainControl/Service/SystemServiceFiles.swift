// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The system service's files for systemd: its units (systemd.socket(5), systemd.service(5)), its user (sysusers.d(5))
/// and the folder of its socket (tmpfiles.d(5)).
struct SystemServiceFiles {
    /// The absolute path of `keychaind`.
    let program: String

    /// The user that the service runs as.
    static let user = "swift-keychain"

    /// The command by which root works on the keychain that this user has in the service.
    static func commandOfRoot(_ words: String) -> String {
        "sudo -u \(user) env \(KeychainLocation.environmentVariable)=\(KeychainLocation.systemFolder)/\(getuid()) "
            + "keychainctl \(words)"
    }

    /// The files by their folders below `/usr/lib`, or `lib` in another prefix.
    var files: [(folder: String, name: String, text: String)] {
        [
            ("systemd/system", SystemdUnits.socketUnit, socketText),
            ("systemd/system", SystemdUnits.serviceUnit, serviceText),
            ("sysusers.d", "\(Self.user).conf", userText), ("tmpfiles.d", "\(Self.user).conf", folderText),
        ]
    }

    /// Writes the files into folders below a folder; missing folders are created.
    func write(below folder: String) throws(Refusal) {
        for file in files { try SystemdUnits.write([(file.name, file.text)], to: "\(folder)/\(file.folder)") }
    }

    private var socketText: String {
        """
        # SPDX-License-Identifier: Apache-2.0
        [Unit]
        Description=Socket of the keychain service

        [Socket]
        ListenStream=/run/swift-keychain/keychaind.sock
        DirectoryMode=0755
        SocketMode=0666
        RemoveOnStop=yes

        [Install]
        WantedBy=sockets.target

        """
    }

    // No directive that gives it a mount namespace of its own (systemd.exec(5): ProtectSystem=, ProtectHome=,
    // PrivateTmp=, ProtectKernelTunables= and others): it identifies programs by their files, so it has to see the same
    // ones. CAP_SYS_PTRACE (capabilities(7)) lets it inspect other users' processes.
    //
    // With CAP_SYS_PTRACE it could read and write the memory of any process; it only reads files in /proc, and checks
    // whether processes share memory (kcmp(2)), so no call is permitted that accesses other processes' memory
    // (ptrace(2) is not in @system-service).
    //
    // MemoryMax= and TasksMax= exceed the sum of the server's limits: 512 MiB of messages, four derivations of 256 MiB,
    // some 140 MiB of authentication contexts of a user, and the stores; and some 200 threads, one for each user who
    // locks or subscribes, and a process with a thread for each user whose certificates are evaluated.
    //
    // OOMPolicy=: a process that evaluates certificates is killed alone if it uses too much memory, before the service.
    //
    // NoNewPrivileges= does not prevent checking passwords through PAM later: for any user but root, unix_chkpwd(8)
    // checks only that user's own password, so a separate program that runs as root is needed in any case.
    private var serviceText: String {
        """
        # SPDX-License-Identifier: Apache-2.0
        [Unit]
        Description=Keychain service
        Requires=\(SystemdUnits.socketUnit)
        After=\(SystemdUnits.socketUnit)
        \(SystemdUnits.startLimit)

        [Service]
        Type=notify
        User=\(Self.user)
        ExecStart=\(SystemdUnits.escaped(program)) --system --exit-when-idle 600
        Restart=on-failure
        \(SystemdUnits.restartPause)
        RestartPreventExitStatus=2
        TimeoutStopSec=20
        WatchdogSec=60
        StateDirectory=swift-keychain
        StateDirectoryMode=0700
        UMask=0077
        WorkingDirectory=/
        LimitCORE=0
        LimitMEMLOCK=64M
        LimitNOFILE=16384
        MemoryMax=4G
        TasksMax=1024
        OOMPolicy=continue
        AmbientCapabilities=CAP_SYS_PTRACE
        CapabilityBoundingSet=CAP_SYS_PTRACE
        NoNewPrivileges=yes
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallFilter=~@privileged @resources process_vm_readv process_vm_writev
        SystemCallErrorNumber=EPERM
        RestrictAddressFamilies=AF_UNIX
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        KeyringMode=private
        DevicePolicy=closed
        IPAddressDeny=any

        """
    }

    private var userText: String {
        """
        # SPDX-License-Identifier: Apache-2.0
        u \(Self.user) - "Keychain service" /var/lib/swift-keychain

        """
    }

    private var folderText: String {
        """
        # SPDX-License-Identifier: Apache-2.0
        d /run/swift-keychain 0755 \(Self.user) \(Self.user) -

        """
    }
}
