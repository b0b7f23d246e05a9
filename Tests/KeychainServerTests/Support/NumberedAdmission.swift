// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer
import KeychainWire
import Synchronization

/// Takes each connection for one of another process, unless the test wants one process.
final class NumberedAdmission: Admission {
    private let keychain: Mutex<any KeychainBackend>
    private let last = Mutex<Int32>(1)
    private let isOne = Mutex(false)
    private let replaced = Mutex<Int32>(0)

    init(_ keychain: any KeychainBackend) { self.keychain = Mutex(keychain) }

    /// Gives connections that come from now on another keychain.
    func use(_ keychain: any KeychainBackend) { self.keychain.withLock { $0 = keychain } }

    var isOneProcess: Bool {
        get { isOne.withLock(\.self) }
        set { isOne.withLock { $0 = newValue } }
    }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        let number = last.withLock { last in
            if !isOneProcess { last += 1 }
            return last
        }
        let process = ProcessInstance(identifier: number, startTime: 0)
        return Peer(admission: self, process: process, backend: keychain.withLock(\.self))
    }

    /// From now on the processes that are connected run another program than the one that was admitted.
    func replacePrograms() {
        let number = last.withLock(\.self)
        replaced.withLock { $0 = number }
    }

    private struct Peer: ConnectedPeer {
        let admission: NumberedAdmission
        let process: ProcessInstance
        let backend: any KeychainBackend
        let vouchesForBiometry = false

        func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { command }

        func confirm() throws(KeychainError) {
            guard process.identifier > admission.replaced.withLock(\.self) else {
                throw KeychainError(.missingEntitlement, "another program")
            }
        }

        func changeFilter(for client: Client) throws(KeychainError) -> ChangeFilter {
            ChangeFilter(groups: client.accessGroups)
        }
    }
}
