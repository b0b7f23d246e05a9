// SPDX-License-Identifier: Apache-2.0

extension KeychainCommand {
    /// The client that the sender claims to be; `nil` for a command that holds none.
    ///
    /// A daemon replaces it by the client that the sender has proved to be. Setting it has no effect on a command that
    /// holds none.
    package var client: Client? {
        get {
            var (command, client) = (self, Client?.none)
            command.updateClient { client = $0 }
            return client
        }
        set {
            guard let newValue else { return }
            updateClient { $0 = newValue }
        }
    }

    // Here and below, every case is listed: one that holds a client and is left out would be executed as the client
    // that its sender claims to be.
    private mutating func updateClient(_ update: (inout Client) -> Void) {
        switch self {
        case .items(var request):
            update(&request.client)
            self = .items(request)
        case .explain(var request):
            update(&request.call.client)
            self = .explain(request)
        case .itemsExplained(var request):
            update(&request.call.client)
            self = .itemsExplained(request)
        case .device(var command):
            command.updateClient(update)
            self = .device(command)
        case .authentication(var command):
            command.updateClient(update)
            self = .authentication(command)
        case .enclave(var command):
            command.updateClient(update)
            self = .enclave(command)
        case .maintenance(var command):
            command.updateClient(update)
            self = .maintenance(command)
        case .files(var command):
            command.updateClient(update)
            self = .files(command)
        case .lookup(var request):
            update(&request.client)
            self = .lookup(request)
        case .history(var request):
            update(&request.client)
            self = .history(request)
        }
    }
}

extension KeychainCommand.Device {
    fileprivate mutating func updateClient(_ update: (inout Client) -> Void) {
        switch self {
        case .status, .lock, .lockThisProcess, .unlock, .setPasscode, .changePasscode, .removePasscode, .setPolicy,
            .summary, .createRecoveryKey, .checkRecoveryKey, .useRecoveryKey, .removeRecoveryKey, .erase:
            break
        }
    }
}

extension KeychainCommand.Authentication {
    fileprivate mutating func updateClient(_ update: (inout Client) -> Void) {
        switch self {
        case .biometry, .check, .evaluate, .status, .forgetPassword, .invalidate, .release: break
        }
    }
}

extension KeychainCommand.Enclave {
    fileprivate mutating func updateClient(_ update: (inout Client) -> Void) {
        switch self {
        case .kind, .makeKey, .key, .use: break
        }
    }
}

extension KeychainCommand.Maintenance {
    fileprivate mutating func updateClient(_ update: (inout Client) -> Void) {
        switch self {
        case .moveGroup(var move):
            update(&move.client)
            self = .moveGroup(move)
        case .check, .recover, .createBackup, .restoreBackup, .setBackupSecret, .rootKeyStatus, .replaceRootKey,
            .storeStatus, .downgradeStore, .takeOver, .giveBack, .move, .auditLog:
            break
        }
    }
}

extension KeychainFileCommand {
    fileprivate mutating func updateClient(_ update: (inout Client) -> Void) {
        switch self {
        case .keychain(path: _, let action):
            switch action {
            case .create, .delete, .lock, .unlock, .status, .setSettings, .changePassword, .items, .find, .secret,
                .access, .add, .update, .setPartitions, .remove, .details, .setLabel, .lookup:
                break
            }
        case .lockAll: break
        }
    }
}
