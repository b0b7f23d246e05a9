// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainIdentity

/// Adds to errors which access groups were not searched, and why.
extension UserProgram {
    /// Executes the permitted part of a command, and explains its failure by the command as it was sent.
    func perform(_ permitted: KeychainCommand, sentAs command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        let reply: KeychainReply
        do throws(KeychainError) {
            reply = try backend.perform(permitted)
        } catch {
            guard case .items(let request) = command else { throw error }
            throw explained(error, request.client)
        }
        guard case .itemsExplained(let request) = command, case .explained(var outcome) = reply,
            case .failure(let error) = outcome.result
        else { return reply }
        outcome.result = .failure(explained(error, request.call.client))
        return .explained(outcome)
    }

    /// An error that also lists the groups that were not searched, with reasons: items in a group that a program has
    /// lost still exist.
    private func explained(_ error: KeychainError, _ claimed: Client) -> KeychainError {
        guard error.status == .itemNotFound else { return error }
        let refusals = refusals(of: claimed)
        var sentences: [String] = []
        if !refusals.isEmpty {
            sentences.append("not searched, although the program claims it: \(refusals.joined(separator: "; "))")
        }
        sentences += refusals.isEmpty ? [identity.loss].compactMap(\.self) : identity.reasons
        if !refusals.isEmpty, identity.isKnown, identity.isConfined {
            sentences.append(
                "what the program stored there before it was identified is kept: a program that is not, such as "
                    + "'security', can read it, and this one can store it again"
            )
        }
        var error = error
        if identity.loss != nil { error.kind = .lostIdentity }
        error.reason = ([error.reason] + sentences).joined(separator: "; ")
        return error
    }

    /// The maximum number of groups that an error names; further ones are only counted.
    static let mostNamedGroups = 16

    /// Why claimed groups were left out, each a sentence without a period and without the identity's reasons.
    private func refusals(of client: Client) -> [String] {
        let refused = client.accessGroups.filter { $0 != Client.everyGroup && identity.refusal(of: $0) != nil }
        let named = refused.prefix(Self.mostNamedGroups).compactMap { identity.refusal(of: $0, givesReasons: false) }
        guard refused.count > named.count else { return named }
        return named + ["and \(refused.count - named.count) more"]
    }
}
