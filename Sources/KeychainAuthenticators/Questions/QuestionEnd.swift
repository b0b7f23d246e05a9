// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Why a question has no answer.
enum QuestionEnd: Error, Sendable, Hashable {
    case cancelled
    case ended
    case unavailable

    var reply: AuthenticationReply {
        switch self {
        case .cancelled: .cancelled
        case .ended: .ended
        case .unavailable: .unavailable
        }
    }
}
