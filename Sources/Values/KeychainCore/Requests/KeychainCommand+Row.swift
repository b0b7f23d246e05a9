// SPDX-License-Identifier: Apache-2.0

/// The table of all commands.
extension KeychainCommand {
    /// The properties of the command.
    package var row: CommandRow {
        switch self {
        case .items(let request): request.row(right: .everyProgram)
        case .explain(let request):
            CommandRow(
                .items,
                "explain \(request.call.operation.functionName)",
                traits: [.changesNothing, .mayPrompt],
                store: .looks,
                right: request.options.scope.right
            )
        case .itemsExplained(let request):
            request.call.row(right: request.options.scope.right)
        case .device(let command): command.row
        case .authentication(let command): command.row
        case .enclave(let command): command.row
        case .maintenance(let command): command.row
        case .files(let command): command.row
        case .lookup(let request): request.row
        case .history(let request): request.row
        }
    }
}

extension KeychainRequest {
    fileprivate func row(right: CommandRow.Right) -> CommandRow {
        let name = operation.functionName
        return switch operation {
        case .copyMatching:
            CommandRow(.items, name, traits: [.changesNothing, .mayPrompt], store: .looks, right: right)
        case .update: CommandRow(.items, name, traits: .mayPrompt, store: .looks, right: right)
        case .delete(let query):
            // One half of an identity may be missing.
            CommandRow(
                .items,
                name,
                traits: query[PropertyKey.itemClass] == .string(ItemClass.identity.rawValue)
                    ? [.mayPrompt, .changesWhenItFails] : .mayPrompt,
                store: .looks,
                right: right
            )
        case .add, .set: CommandRow(.items, name, traits: .mayPrompt, right: right)
        }
    }
}

extension LookupRequest {
    // Nobody is prompted: the front has the owner authenticate before.
    fileprivate var row: CommandRow {
        let storeUse: CommandRow.StoreUse = if case .store = operation { .needs } else { .looks }
        return CommandRow(
            .items,
            operation.name,
            traits: operation.traits,
            store: storeUse,
            right: .everyProgram
        )
    }
}

extension LookupRequest.Operation {
    fileprivate var name: String {
        switch self {
        case .search: "lookup search"
        case .describe: "lookup describe"
        case .secrets: "lookup secrets"
        case .store: "lookup store"
        case .change: "lookup change"
        case .delete: "lookup delete"
        }
    }

    fileprivate var traits: CommandRow.Traits { changesNothing ? .changesNothing : [] }
}

extension HistoryRequest {
    fileprivate var row: CommandRow {
        switch operation {
        case .values: row("history", .changesNothing)
        case .secret: row("history secret", [.changesNothing, .mayPrompt])
        case .restore: row("history restore", .mayPrompt)
        case .keep: row("history keep")
        case .clear: row("history clear")
        case .numberForAll: row("history number", .changesNothing)
        // These concern the items of every client.
        case .keepForAll:
            CommandRow(.maintenance, "history keep all", traits: .replacesItems, right: .owner)
        case .clearAll:
            CommandRow(.maintenance, "history clear all", traits: .replacesItems, store: .looks, right: .owner)
        }
    }

    private func row(_ name: String, _ traits: CommandRow.Traits = []) -> CommandRow {
        CommandRow(.items, name, traits: traits, store: .looks, right: .everyProgram)
    }
}

extension ExplanationScope {
    // An explanation may cover the items of every client.
    fileprivate var right: CommandRow.Right { self == .owner ? .owner : .everyProgram }
}

extension KeychainCommand.Device {
    fileprivate var row: CommandRow {
        let device = CommandRow.Right.outsideOfSandbox("the device")
        return switch self {
        case .status: CommandRow(.device, "device status", traits: .changesNothing, right: .everyProgram)
        case .lock: CommandRow(.device, "device lock", traits: [.isUrgent, .locksDevice], right: device)
        case .lockThisProcess:
            CommandRow(.device, "device lock this process", traits: .isUrgent, store: .none, right: device)
        case .unlock: CommandRow(.device, "device unlock", traits: .provesPasscode, right: device)
        case .setPasscode: CommandRow(.device, "device set passcode", traits: .provesPasscode, right: device)
        case .changePasscode: CommandRow(.device, "device change passcode", traits: .provesPasscode, right: device)
        // Items that require a passcode are removed with it.
        case .removePasscode: CommandRow(.device, "device remove passcode", traits: .replacesItems, right: device)
        case .setPolicy: CommandRow(.device, "device set policy", right: .owner)
        case .summary: CommandRow(.device, "device summary", traits: .changesNothing, store: .looks, right: device)
        // Who has a recovery key has everything, which no manifest grants.
        case .createRecoveryKey:
            CommandRow(.device, "recovery key create", traits: .provesPasscode, right: .passcode("the recovery key"))
        case .checkRecoveryKey:
            CommandRow(.device, "recovery key check", traits: .changesNothing, store: .looks, right: device)
        case .useRecoveryKey:
            CommandRow(.device, "recovery key use", traits: .provesPasscode, store: .looks, right: device)
        case .removeRecoveryKey:
            CommandRow(.device, "recovery key remove", traits: .provesPasscode, right: .passcode("the recovery key"))
        // It is the way out of a forgotten passcode. But in the system service, whoever sets the next one is the owner.
        case .erase:
            CommandRow(
                .device,
                "device erase",
                traits: .replacesItems,
                store: .looks,
                right: .passcodeOfSystemService("the device")
            )
        }
    }
}

extension KeychainCommand.Authentication {
    fileprivate var row: CommandRow {
        let traits: CommandRow.Traits =
            switch self {
            case .biometry, .status: [.changesNothing, .isUnlogged]
            case .check: [.changesNothing, .mayPrompt]
            case .evaluate: .mayPrompt
            case .forgetPassword, .invalidate: [.isUrgent, .endsContext, .isUnlogged]
            case .release: [.isUrgent, .endsContext, .releasesContext, .isUnlogged]
            }
        return CommandRow(.authentication, name, traits: traits, store: .none, right: .everyProgram)
    }

    private var name: String {
        switch self {
        case .biometry: "biometry"
        case .check: "authentication check"
        case .evaluate: "authentication"
        case .status: "context status"
        case .forgetPassword: "context forget password"
        case .invalidate: "context invalidate"
        case .release: "context release"
        }
    }
}

extension KeychainCommand.Enclave {
    fileprivate var row: CommandRow {
        switch self {
        case .kind:
            CommandRow(
                .enclave,
                "enclave kind",
                traits: [.changesNothing, .isUnlogged],
                store: .none,
                right: .everyProgram
            )
        case .makeKey: CommandRow(.enclave, "enclave make key", traits: .mayPrompt, right: .everyProgram)
        case .key: CommandRow(.enclave, "enclave public key", traits: .changesNothing, right: .everyProgram)
        case .use: CommandRow(.enclave, "enclave use key", traits: .mayPrompt, right: .everyProgram)
        }
    }
}

extension KeychainCommand.Maintenance {
    fileprivate var row: CommandRow {
        // Every other program of the user can hand over the user's own store, which directs programs to the service.
        let owner = CommandRow.Right.outsideOfSandbox("the owner of the keychain's store")
        return switch self {
        case .check: CommandRow(.maintenance, "check", traits: .changesNothing, right: .owner)
        case .recover: CommandRow(.maintenance, "recover", traits: .replacesItems, right: .owner)
        case .createBackup(let request): request.row
        case .restoreBackup(let request): request.row
        case .setBackupSecret: CommandRow(.maintenance, "set backup secret", right: .owner)
        case .rootKeyStatus:
            CommandRow(
                .maintenance,
                "root key status",
                traits: .changesNothing,
                store: .looks,
                right: .outsideOfSandbox("the root key of the keychain")
            )
        case .replaceRootKey: CommandRow(.maintenance, "replace root key", traits: .provesPasscode, right: .owner)
        case .storeStatus:
            CommandRow(
                .maintenance,
                "store status",
                traits: .changesNothing,
                store: .looks,
                right: .outsideOfSandbox("the keychain's store")
            )
        case .downgradeStore: CommandRow(.maintenance, "downgrade store", store: .looks, right: .owner)
        case .moveGroup(let move):
            CommandRow(
                .maintenance,
                move.isRehearsal ? "rehearse move group" : "move group",
                traits: move.isRehearsal ? [.changesNothing, .mayPrompt] : [.mayPrompt, .replacesItems],
                store: .looks,
                right: .outsideOfSandbox("the items of other programs")
            )
        case .takeOver: CommandRow(.move, "take over", right: owner)
        case .giveBack: CommandRow(.move, "give back", right: owner)
        case .move(let command): command.row
        case .auditLog:
            // It contains the names of programs, and access groups of others.
            CommandRow(
                .move,
                "audit log",
                traits: [.changesNothing, .isUnlogged],
                right: .outsideOfSandbox("the log of requests")
            )
        }
    }
}

extension StoreMove {
    fileprivate var row: CommandRow {
        let store = "the keychain's store"
        return switch self {
        case .status:
            CommandRow(.move, "move status", traits: [.changesNothing, .isUnlogged], right: .outsideOfSandbox(store))
        case .begin: CommandRow(.move, "move begin", right: .outsideOfSandbox(store))
        case .step(let step, of: _):
            switch step {
            case .receive: CommandRow(.move, "move receive", right: .outsideOfSandbox(store))
            case .activate: CommandRow(.move, "move activate", right: .outsideOfSandbox(store))
            // It gives away the root key and every row, which no manifest grants.
            case .send: CommandRow(.move, "move send", right: .passcode(store))
            case .resume: CommandRow(.move, "move resume", right: .outsideOfSandbox(store))
            case .remove: CommandRow(.move, "move remove", right: .outsideOfSandbox(store))
            // The owners of the rows are logged.
            case .append: CommandRow(.move, "move append", traits: .isUnlogged, right: .outsideOfSandbox(store))
            case .rows: CommandRow(.move, "move rows", traits: .isUnlogged, right: .outsideOfSandbox(store))
            case .compare: CommandRow(.move, "move compare", traits: .isUnlogged, right: .outsideOfSandbox(store))
            }
        }
    }
}

extension KeychainFileCommand {
    fileprivate var row: CommandRow {
        let (name, traits): (String, CommandRow.Traits) =
            switch self {
            case .lockAll: ("lock all keychain files", .isUrgent)
            case .keychain(_, let action):
                switch action {
                case .create: ("keychain file create", [])
                case .delete: ("keychain file delete", [])
                case .lock: ("keychain file lock", .isUrgent)
                case .unlock: ("keychain file unlock", [])
                case .status: ("keychain file status", .changesNothing)
                case .setSettings: ("keychain file set settings", [])
                case .changePassword: ("keychain file change password", [])
                case .items: ("keychain file items", .changesNothing)
                case .find: ("keychain file find", .changesNothing)
                case .secret: ("keychain file secret", .changesNothing)
                case .access: ("keychain file access", .changesNothing)
                case .add: ("keychain file add", [])
                case .update: ("keychain file update", [])
                case .setPartitions: ("keychain file set partition list", [])
                case .remove: ("keychain file remove", [])
                case .details: ("keychain file details", .changesNothing)
                case .setLabel: ("keychain file set label", [])
                case .lookup(let operation): ("keychain file \(operation.name)", operation.traits)
                }
            }
        // It opens a path with the rights of the daemon instead of the program's.
        return CommandRow(.files, name, traits: traits, right: .outsideOfSandbox("keychain files"))
    }
}
