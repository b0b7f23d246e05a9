// SPDX-License-Identifier: Apache-2.0

/// Whatever can serve keychain requests: the embedded engine, later a daemon.
public protocol KeychainBackend: Sendable {
    /// Carries out one request; may block for the disk.
    ///
    /// - Throws: ``KeychainError`` with the status that Apple's function would return. Then nothing has changed.
    func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer
}
