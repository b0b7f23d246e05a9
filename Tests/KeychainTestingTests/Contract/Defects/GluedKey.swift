// SPDX-License-Identifier: Apache-2.0

/// How stand-ins of the field make one key of a service and an account.
struct GluedKey: Sendable {
    let name: String
    let glue: @Sendable (_ service: String, _ account: String) -> String

    private init(serviceFirst separator: String) {
        name = "service, \(separator.debugDescription), account"
        glue = { service, account in service + separator + account }
    }

    private init(accountFirst separator: String) {
        name = "account, \(separator.debugDescription), service"
        glue = { service, account in account + separator + service }
    }

    static let all =
        ["", ".", "-", "@", ";", "::", "->", "\0", "\n", "\t", "+", "=", "~", "--"].map { GluedKey(serviceFirst: $0) }
        + ["", ".", "@", ":", "_", "::"].map { GluedKey(accountFirst: $0) }
}
