// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles
import KeychainMacFrontEnd

/// `delete-keychain`: removes the files of keychains, and removes them from the search list.
struct DeleteKeychain: Command {
    let options: OptionSyntax = "h"

    private static let function = "SecKeychainDelete"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        guard invocation.arguments.options.isEmpty else { throw CommandFailure.usage }
        try invocation.checkOptions(options)
        let operands = invocation.arguments.operands
        guard !operands.isEmpty else { throw CommandFailure(.invalidKeychain, in: Self.function) }
        let keychains = session.keychains
        try reporting(Self.function) { () throws(KeychainError) in
            var paths: [String] = []
            var failure: KeychainError?
            for operand in operands {
                let place = try keychains.place(orDefault: operand)
                switch place {
                case .file(let path): paths.append(path)
                // It has no file to remove, and stays listed.
                case .dataProtection: failure = .noSuchKeychain
                }
            }
            for path in paths {
                do throws(KeychainError) { try delete(path, keychains) } catch { failure = failure ?? error }
            }
            if let failure { throw failure }
        }
        return 0
    }

    /// Removes a file, and then removes it from the lists: a file that stays is still searched, and a listed file that
    /// is missing does no harm.
    private func delete(_ path: String, _ keychains: Keychains) throws(KeychainError) {
        do throws(KeychainError) {
            try keychains.files.delete(at: path)
        } catch {
            if error.status == .noSuchKeychain { try keychains.preferences.recordRemoval(of: path) }
            throw error
        }
        try keychains.preferences.recordRemoval(of: path)
    }
}
