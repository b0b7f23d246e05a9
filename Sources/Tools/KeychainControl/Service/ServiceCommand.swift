// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore
import KeychainHost
import KeychainProtection

/// `keychainctl service`: the daemon that owns the keychain, if one does.
struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "Hands the keychain over to a daemon that all programs share, and takes it back.",
        discussion: CommandDiscussion.text(
            """
            Without the daemon each program opens the keychain itself and is unlocked separately. With it one unlock \
            applies to all programs of the user, until the next lock.
            """,
            examples: [
                "keychainctl service": "Shows who owns the keychain.",
                "keychainctl service enable": "Lets a daemon serve it: one unlock is for all programs then.",
            ]
        ),
        subcommands: [
            ServiceStatusCommand.self, EnableServiceCommand.self, DisableServiceCommand.self,
            RestartServiceCommand.self, AuditCommand.self, UnitFilesCommand.self,
        ],
        defaultSubcommand: ServiceStatusCommand.self
    )
}

/// `keychainctl service enable`: hands the keychain over to the daemon.
struct EnableServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Hands the keychain over to the daemon; running programs keep working, through it.",
        discussion: CommandDiscussion.text(
            """
            One transaction changes the owner: nothing is copied, and no change of another program is lost. With --system, \
            items, passcode and keys are moved to the system service. If that is interrupted, repeat the command; until \
            then, programs are told that the keychain is being moved. If there is no passcode, --system sets one, which \
            it asks for first: the service knows the owner of a keychain by the passcode.
            """,
            examples: [
                "keychainctl service enable": "Hands the keychain over to a daemon of this user.",
                "keychainctl service enable --system --dry-run": "Shows what moving it to the system service would do.",
            ]
        )
    )

    @Flag(help: "Use the system service, which runs as a user of its own, and move the items there.")
    var system = false

    @Option(help: "The socket of the system service, if it is not the default one.", completion: .file())
    var socket: String?

    @OptionGroup var passcode: PasscodeOptions

    @Flag(help: "Set no passcode in the system service, which then stores nothing for signed or sandboxed programs.")
    var noPasscode = false

    @Flag(help: "Print the steps without performing them.")
    var dryRun = false

    func validate() throws {
        guard system || !passcode.isGiven && !noPasscode else {
            throw ValidationError("--passcode-fd, --passcode-stdin and --no-passcode are for --system.")
        }
        guard !passcode.isGiven || !noPasscode else {
            throw ValidationError("--no-passcode excludes --passcode-fd and --passcode-stdin.")
        }
        guard let socket else { return }
        guard system else { throw ValidationError("--socket is for --system.") }
        guard socket.isAbsolutePath else { throw ValidationError("The path of the socket must be absolute.") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let service = try surroundings.service()
        if system { return try enableSystem(service, surroundings) }
        let plan = try service.planOfEnabling()
        let groups = try service.remarkOnGroups(plan.owner)
        if dryRun {
            surroundings.printLine(Steps.text(plan.steps))
            return surroundings.remarkOnGroups(groups)
        }
        try service.enable()
        let isNew = plan.owner != .daemon
        surroundings.printLine(isNew ? "The daemon owns the keychain now." : "The daemon owns the keychain already.")
        if isNew {
            surroundings.remark(
                "If a passcode is set, it is locked: 'keychainctl device unlock' unlocks it for all programs."
            )
            surroundings.remarkOnGroups(groups)
        }
    }
}

extension EnableServiceCommand {
    private func enableSystem(_ service: KeychainService, _ surroundings: Surroundings) throws {
        let plan = try service.planOfEnablingSystem(socket)
        let groups = try service.remarkOnGroups(plan.owner)
        let setsPasscode = !plan.hasPasscode && !noPasscode
        let lastSteps = setsPasscode ? [KeychainService.stepOfSettingPasscode] : []
        if dryRun {
            surroundings.printLine(Steps.text(plan.steps + lastSteps))
            return surroundings.remarkOnGroups(groups)
        }
        // Before anything is moved, so that nothing is moved if the user cannot be prompted.
        let newPasscode =
            try setsPasscode
            ? passcode.readNew(.newPasscodeOrNone, reason: "set the passcode of the keychain", in: surroundings) : nil
        let damagedCount = try service.enableSystem(socket)
        // Immediately, because any program that sets the first passcode becomes the owner.
        if let newPasscode { try service.setPasscodeInSystem(newPasscode) }
        try surroundings.remarkOnRemains(of: service)
        let isNew = plan.owner != .system
        surroundings.printLine("The system service owns the keychain \(isNew ? "now" : "already").")
        surroundings.reportLeftOutRows(damagedCount)
        surroundings.remarkOnGroups(groups)
        if isNew || setsPasscode { surroundings.remarkOnSchedule() }
        let isMoved = isNew && (plan.hasContents || plan.owner == .moving)
        if isMoved { surroundings.remark("Its items are there\(plan.hasPasscode ? ", and it is locked" : "").") }
        if setsPasscode {
            surroundings.printLine("The passcode is set.")
        } else if !plan.hasPasscode {
            surroundings.remark(Self.withoutPasscode)
        } else if isMoved {
            if passcode.isGiven { surroundings.remark(Self.movedPasscode) }
        } else if passcode.isGiven || isNew {
            surroundings.remark(Self.foundPasscode)
        }
        // It moves with a keychain, and from now on it is as good as the passcode.
        if setsPasscode || isNew { RecoveryKeyText.remark(try? service.system.device.summary(), in: surroundings) }
    }

    private static let withoutPasscode = """
        No passcode is set. Until one is ('device set-passcode'), the service stores nothing in access groups of signed or \
        sandboxed programs, and any program that sets the first one is the owner of the keychain.
        """

    private static let movedPasscode = """
        The passcode that was given is not used: the keychain has its own, which was moved with it. Another one is set by \
        'device change-passcode'.
        """

    private static let foundPasscode = """
        The keychain there has a passcode already. If you do not know it, another program has set it: read out the items \
        that you need, leave that keychain ('service disable --leave-items'), and have root remove its folder.
        """
}

/// `keychainctl service disable`: takes it back.
struct DisableServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Takes the keychain back from the daemon; running programs keep working, without it.",
        discussion: CommandDiscussion.text(
            """
            The keychain is locked: each program has to be unlocked separately. The system service gives items only to \
            their owner: it requires a passcode that is set, which is asked for.
            """,
            examples: ["keychainctl service disable": "Gives the keychain back to the programs of this user."]
        )
    )

    @Flag(help: "Leave the items of the system service there, out of reach.")
    var leaveItems = false

    @OptionGroup var passcode: PasscodeOptions

    @Flag(help: "Print the steps without performing them.")
    var dryRun = false

    func run() throws {
        let surroundings = Surroundings.current
        let service = try surroundings.service()
        let owner = try service.owner()
        if dryRun {
            switch owner {
            case .daemon?: return surroundings.printLine(Steps.text(KeychainService.stepsOfDisabling))
            case .system?, .moving?:
                return surroundings.printLine(Steps.text(try service.stepsOfDisablingSystem(leavesItems: leaveItems)))
            default:
                let isLeft = try service.folder().map(service.hasRemains) ?? false
                let hasRemains = try isLeft || service.remarkOnRemains(owner) != nil
                return surroundings.printLine(hasRemains ? Steps.text([KeychainService.stepOfTidying]) : Steps.none)
            }
        }
        let isOfSystem = owner == .system || owner == .moving
        var damagedCount = 0
        if isOfSystem {
            damagedCount = try service.disableSystem(leavesItems: leaveItems) { () throws(Refusal) in
                try passcode.source(surroundings).read(.passcode, .passcode, reason: "move the keychain")
            }
        } else {
            try service.disable(leavesItems: leaveItems)
        }
        surroundings.printLine(
            owner == .daemon || isOfSystem
                ? "The keychain is embedded now: each program opens it itself."
                : "The keychain is embedded already; what was left of the daemon was removed."
        )
        surroundings.reportLeftOutRows(damagedCount)
        try surroundings.remarkOnRemains(of: service)
    }
}

extension Surroundings {
    /// Prints which items some programs can no longer access.
    fileprivate func remarkOnGroups(_ text: String?) {
        if let text { remark(text) }
    }

    /// Prints that a command left remains for the next one to remove.
    fileprivate func remarkOnRemains(of service: KeychainService) throws {
        if let text = try service.remarkOnRemains(service.owner()) { remark("Not all was removed: \(text).") }
    }

    /// Prints that damaged rows were left out of a move.
    fileprivate func reportLeftOutRows(_ damagedCount: Int) {
        guard damagedCount > 0 else { return }
        remark("Not moved: \(Count.text(damagedCount, "damaged row")), which no store can open.")
    }
}

/// `keychainctl service restart`: restarts the daemon.
struct RestartServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart",
        abstract: "Stops the daemon once calls in progress are answered, and starts it again; it is locked then.",
        discussion: CommandDiscussion.text(
            "Run it after an upgrade. If a passcode is set, items are locked until the next unlock.",
            examples: ["keychainctl service restart": "Starts the daemon of the version that is installed now."]
        )
    )

    @Flag(help: "Print the steps without performing them.")
    var dryRun = false

    func run() throws {
        let surroundings = Surroundings.current
        let service = try surroundings.service()
        if dryRun {
            var steps = try service.runningProcessForFiles() == nil ? [] : [KeychainService.stepOfStoppingFiles]
            if try service.owner() == .daemon { steps += KeychainService.stepsOfRestarting }
            return surroundings.printLine(steps.isEmpty ? Steps.none : Steps.text(steps))
        }
        surroundings.printLine(
            try service.restart()
                ? "The daemon was restarted. The keychain is locked if a passcode is set."
                : "The daemon of keychain files was stopped, and they are locked; the next command on one starts it again."
        )
    }
}

/// `keychainctl service unit-files`: for packages.
struct UnitFilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unit-files",
        abstract: "Writes the systemd units, for a package.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl service unit-files --program /usr/bin/keychaind --output lib":
                "Writes the units of the daemons of a user."
        ]),
        shouldDisplay: false
    )

    @Option(help: "The folder to write them to.", completion: .directory)
    var output: String

    @Option(help: "The path of the installed keychaind.")
    var program: String

    func validate() throws {
        guard program.isAbsolutePath else { throw ValidationError("The path of the program must be absolute.") }
    }

    @Flag(help: "Write those of the system service, with what makes its user, into folders below that one.")
    var system = false

    func run() throws {
        let folder = AbsolutePath.of(output)
        let credentials = CredentialUnits(besideDaemon: program)
        if system {
            try SystemServiceFiles(program: program).write(below: folder)
            try SystemdUnits.write(credentials.systemFiles, to: "\(folder)/systemd/system")
        } else {
            let units = SystemdUnits(program: program)
            try SystemdUnits.write(units.files + units.filesOfFileDaemon + credentials.files, to: folder)
        }
    }
}

/// The steps of a command, for `--dry-run`.
private enum Steps {
    static let none = "Nothing to do: the keychain is embedded."

    static func text(_ steps: [String]) -> String {
        let lines = steps.enumerated().map { "  \($0.offset + 1). \($0.element)" }
        return (["Would do, in this order:"] + lines).joined(separator: "\n")
    }
}
