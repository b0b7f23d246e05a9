// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A small program of format 3.0, with its own table of columns and its own code for the format, for tests: it uses a
/// store that later programs have used, and knows nothing of them.
///
/// `list FOLDER`, `add FOLDER ACCOUNT SECRET GROUP`, `update FOLDER ACCOUNT SECRET`, `delete FOLDER ACCOUNT`: generic
/// passwords of a keychain without a passcode. It prints a line for each item, or why it fails, with the exit status 1.
@main
struct FormerKeychain {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { exit(2) }
        do {
            let store = try FormerStore(folder: arguments[1])
            try run(arguments, on: store)
        } catch {
            print(error)
            exit(1)
        }
    }

    private static func run(_ arguments: [String], on store: FormerStore) throws {
        func text(_ item: FormerItem, _ name: String) -> String {
            String(decoding: item.attributes[name]?.bytes ?? [], as: UTF8.self)
        }
        func change(_ body: (Int64, FormerItem) throws -> Void) throws {
            try store.change {
                let found = try store.items().filter { text($0.item, "acct") == arguments[2] }
                guard let (number, item) = found.first else { throw FormerError("-25300: no such item") }
                try body(number, item)
            }
        }
        switch (arguments[0], arguments.count) {
        case ("list", 2):
            for (_, item) in try store.items() {
                print(text(item, "acct"), String(decoding: item.secret, as: UTF8.self), text(item, "agrp"))
            }
        case ("add", 5):
            let item = FormerItem(
                account: arguments[2],
                secret: arguments[3],
                group: arguments[4],
                at: Date().timeIntervalSinceReferenceDate
            )
            try store.change { try store.insert(item) }
        case ("update", 4):
            try change { number, item in
                var item = item
                item.secret = Array(arguments[3].utf8)
                try store.update(number, item)
            }
        case ("delete", 3): try change { number, _ in try store.delete(number) }
        default: exit(2)
        }
    }
}
