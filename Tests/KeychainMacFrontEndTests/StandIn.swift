// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// A keychain that writes down what it is asked, and answers what a test wants.
final class StandIn: KeychainBackend {
    typealias Answer = Result<KeychainAnswer, KeychainError>

    private let state: Mutex<(operations: [KeychainRequest.Operation], answers: [Answer])>
    private let usual: Answer

    /// Answers one after the other, then the usual one.
    init(_ answers: [Answer] = [], usual: Answer = .success(.nothing)) {
        state = Mutex(([], answers))
        self.usual = usual
    }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        guard case .items(let request) = command else { throw .unexpectedReply }
        let answer = state.withLock { state in
            state.operations.append(request.operation)
            return state.answers.isEmpty ? usual : state.answers.removeFirst()
        }
        return .answer(try answer.get())
    }

    /// The calls so far.
    var operations: [KeychainRequest.Operation] { state.withLock(\.operations) }
}

extension StandIn.Answer {
    static func failure(_ status: Status) -> StandIn.Answer { .failure(KeychainError(status, "of the test")) }

    /// What is compared: the answer, or the status.
    var outcome: String {
        switch self {
        case .success(let answer): "\(answer)"
        case .failure(let error): "\(error.status)"
        }
    }
}

extension KeychainBackend {
    func outcome(_ operation: KeychainRequest.Operation) -> StandIn.Answer {
        Result { () throws(KeychainError) in
            try perform(KeychainRequest(operation, client: Client(accessGroups: ["group"])))
        }
    }
}
