// SPDX-License-Identifier: Apache-2.0

import Keychain
import KeychainRecipes

/// The program without its process: words in, text and an exit code out.
public struct Program: Sendable {
    private let store: LoginStore

    /// The program.
    public init(_ store: LoginStore) { self.store = store }

    /// What a run leaves behind.
    public struct Answer: Equatable, Sendable {
        /// What the process exits with.
        public var code: Code
        /// For standard output, or for standard error if the code is not success.
        public var text: String

        /// An answer.
        public init(code: Code, text: String) {
            self.code = code
            self.text = text
        }
    }

    /// What a process exits with, as `sysexits.h` numbers it.
    public enum Code: Int32, Sendable {
        /// It did what it was asked for.
        case success = 0
        /// Nobody is logged in.
        case notLoggedIn = 1
        /// The words were not understood.
        case usage = 64
        /// It cannot be done, and nothing but a change helps.
        case failure = 70
        /// It cannot be done now: the same may succeed later.
        case tryLater = 75
    }

    /// Runs a command.
    ///
    /// - Parameters:
    ///   - words: the arguments.
    ///   - readToken: reads the token, which is never an argument: other programs see those.
    /// - Returns: What the process leaves behind.
    public func run(_ words: [String], readToken: () throws -> String?) -> Answer {
        do {
            try store.tidyUp()
            return try answer(words, readToken)
        } catch let error as KeychainItemError {
            return failure(error)
        } catch InstallationError.keychain(let error) {
            return failure(error)
        } catch {
            return Answer(code: .failure, text: "\(error)")
        }
    }

    private func answer(_ words: [String], _ readToken: () throws -> String?) throws -> Answer {
        switch (words.first, words.count) {
        case ("login", 2):
            guard let token = try readToken(), !token.isEmpty else {
                return Answer(code: .usage, text: "There is no token on standard input.")
            }
            try store.save(Login(user: words[1], token: token))
            return Answer(code: .success, text: "Logged in as \(words[1]).")
        case ("whoami", 1): return try withLogin { $0.user }
        case ("token", 1): return try withLogin { $0.token }
        case ("logout", 1): return try store.remove() ? Answer(code: .success, text: "Logged out.") : Self.notLoggedIn
        default: return Answer(code: .usage, text: "usage: login-token login USER | whoami | token | logout")
        }
    }

    private func withLogin(_ text: (Login) -> String) throws -> Answer {
        try store.login().map { Answer(code: .success, text: text($0)) } ?? Self.notLoggedIn
    }

    private static let notLoggedIn = Answer(
        code: .notLoggedIn,
        text: "Not logged in. To log in: login-token login USER"
    )

    /// The error says what is wrong and what to do; whether waiting helps, a script learns from the code.
    private func failure(_ error: KeychainItemError) -> Answer {
        Answer(code: error.isLocked ? .tryLater : .failure, text: "\(error)")
    }
}
