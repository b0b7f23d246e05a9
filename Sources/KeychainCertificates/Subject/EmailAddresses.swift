// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

/// The e-mail addresses of a subject: those of the alternative names, then those of the name itself, each once.
enum EmailAddresses {
    static func list(_ subject: Name, _ alternatives: AlternativeNames?) -> [String] {
        let all = (alternatives?.emailAddresses ?? []) + subject.texts(.NameAttributes.emailAddress)
        var seen: Set<String> = []
        return all.filter { !$0.isEmpty && seen.insert($0).inserted }
    }
}
