// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Gives new tokens for a refresh token.
public protocol TokenServer: Sendable {
    /// Renews a session; its refresh token is worth nothing afterwards.
    func renew(_ session: Session) async throws -> Session
}

/// What a `BGAppRefreshTask` runs, for the most part while the phone lies locked in a pocket.
public struct BackgroundTokenRefresh: Sendable {
    private let auth: AuthManager
    private let server: any TokenServer

    /// How long before its end a session is renewed.
    private let margin: TimeInterval = 15 * 60

    /// A refresh.
    public init(auth: AuthManager, server: any TokenServer) {
        self.auth = auth
        self.server = server
    }

    /// What became of a refresh.
    public enum Outcome: Equatable, Sendable {
        /// The session was renewed.
        case refreshed
        /// The session is good for a while.
        case stillFresh
        /// Nobody is signed in.
        case signedOut
        /// The session cannot be read now; it is there, and the system should run the task again.
        case tryAgainLater
    }

    /// Renews the session if it ends soon.
    ///
    /// - Throws: What the server throws, and ``SessionStoreError`` for what does not pass by itself.
    public func run(now: Date = Date()) async throws -> Outcome {
        do {
            guard let session = try await auth.session() else { return .signedOut }
            guard session.expires < now + margin else { return .stillFresh }
            let renewed = try await server.renew(session)
            return try await auth.replace(session, with: renewed) ? .refreshed : .signedOut
        } catch let error as SessionStoreError where error.passes {
            return .tryAgainLater
        }
    }
}
