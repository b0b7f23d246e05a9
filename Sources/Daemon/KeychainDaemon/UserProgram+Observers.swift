// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainIdentity
import KeychainServer

/// Notifications to the program, and the log of its requests.
extension UserProgram {
    /// Permits the groups that a request of the program could use.
    func changeFilter(for client: Client) throws(KeychainError) -> ChangeFilter {
        if let clip = client.appClipIdentifier {
            return ChangeFilter(groups: identity.refusal(of: clip) == nil ? [clip] : [])
        }
        guard client.accessGroups.contains(Client.everyGroup) else {
            return ChangeFilter(groups: identity.groups(claimed: client.accessGroups))
        }
        return ChangeFilter { [identity] group in identity.refusal(of: group) == nil }
    }

    /// Logs a command.
    func finished(_ command: KeychainCommand, _ result: Result<KeychainReply, KeychainError>) {
        audited?.note(command, result)
    }
}
