// SPDX-License-Identifier: Apache-2.0

/// Whatever can carry out commands on a keychain: the embedded engine, later the client of a daemon.
public protocol KeychainBackend: Sendable {
    /// Carries out one command; may block for the disk, and for as long as a person takes to answer.
    ///
    /// - Throws: ``KeychainError``. A call of an item function has changed nothing then.
    func perform(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply

    /// Which keychain this is: the same for all values that reach one keychain as one program.
    var identity: ObjectIdentifier { get }
}

extension KeychainBackend where Self: AnyObject {
    /// The object.
    public var identity: ObjectIdentifier { ObjectIdentifier(self) }
}

extension KeychainBackend {
    /// Carries out a call of an item function.
    ///
    /// - Throws: ``KeychainError`` with the status that Apple's function would return. Then nothing has changed.
    public func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer {
        guard case .answer(let answer) = try perform(.items(request)) else { throw .unexpectedReply }
        return answer
    }

    /// The device that the keychain belongs to.
    public var device: KeychainDevice {
        KeychainDevice { (command) throws(KeychainError) in try perform(.device(command)) }
    }

    /// What asks the owner of the device to authenticate.
    public var authentication: AuthenticationService {
        AuthenticationService { (command) throws(KeychainError) in try perform(.authentication(command)) }
    }

    /// What keeps keys that never leave the device.
    public var enclave: KeyEnclave {
        KeyEnclave { (command) throws(KeychainError) in try perform(.enclave(command)) }
    }

    /// What looks after the store.
    public var maintenance: KeychainMaintenance {
        KeychainMaintenance { (command) throws(KeychainError) in try perform(.maintenance(command)) }
    }
}
