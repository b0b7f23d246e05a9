// SPDX-License-Identifier: Apache-2.0

import Foundation
import SessionKit

let now = Date(timeIntervalSinceReferenceDate: 757_382_400)

/// A session that ends soon.
let ending = Session(user: "ada", accessToken: "a1", refreshToken: "r1", expires: now + 60)

/// What the server makes of it.
let renewed = Session(user: "ada", accessToken: "a2", refreshToken: "r2", expires: now + 3_600)

/// A server that renews one session, after something has happened.
struct Server: TokenServer {
    var meanwhile: @Sendable () async throws -> Void = {}

    func renew(_ session: Session) async throws -> Session {
        guard session == ending else { throw Refused() }
        try await meanwhile()
        return renewed
    }

    struct Refused: Error {}
}
