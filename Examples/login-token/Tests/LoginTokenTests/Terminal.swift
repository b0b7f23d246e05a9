// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainRecipes
import LoginToken
import Synchronization

/// Somebody at a terminal with the program installed.
struct Terminal {
    /// The program's folder: a new one is a new installation.
    final class Folder: InstallationMarkStore {
        private let mark: Mutex<String?>
        init(mark: String? = nil) { self.mark = Mutex(mark) }
        func readMark() -> String? { mark.withLock { $0 } }
        func writeMark(_ text: String) -> Bool {
            mark.withLock { $0 = text }
            return true
        }
    }

    private let program: Program

    init(_ folder: Folder = Folder(), keychain: any KeychainProtocol = SystemKeychain()) {
        program = Program(LoginStore(in: keychain, mark: folder))
    }

    func run(_ words: String..., token: String? = nil) -> Program.Answer { program.run(words) { token } }
}
