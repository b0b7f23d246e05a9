// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import Webhooks

@main
struct Main {
    static func main() async throws {
        let secret: Data
        do {
            secret = try WebhookSecret().read()
        } catch let error as WebhookSecret.Unavailable {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
        let port = ProcessInfo.processInfo.environment["PORT"].flatMap(Int.init) ?? 8080
        let application = Application(
            router: makeRouter(secret: secret),
            configuration: .init(address: .hostname("127.0.0.1", port: port))
        )
        try await application.runService()
    }
}
