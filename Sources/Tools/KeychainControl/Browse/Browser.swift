// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainAuthenticators
import KeychainCore
import KeychainDoctor

/// Does what the keys of `keychainctl browse` ask for, with the keychain and the clipboard.
struct Browser {
    var model: BrowseModel

    /// The secret that is shown.
    private(set) var secret: SecretBytes?

    private var entries: [ListedPassword]
    /// Those in which nobody is asked.
    let surroundings: Surroundings
    private let clearAfter: Int

    init(_ surroundings: Surroundings, _ entries: [ListedPassword], size: BrowseModel.Size, clearAfter: Int) {
        // A question would be in the middle of the screen.
        var silent = surroundings
        silent.authenticator = NoAuthenticator()
        (self.surroundings, self.entries, self.clearAfter) = (silent, entries, clearAfter)
        model = BrowseModel(entries.map(BrowseModel.Item.init), size: size)
    }

    /// Forgets the secret that is shown.
    mutating func hide() {
        secret = nil
        model.hide()
    }

    /// Reads all passwords again.
    mutating func read(_ body: () throws(Refusal) -> [ListedPassword]) {
        do throws(Refusal) {
            entries = try body()
            model.isLocked = false
            model.setItems(entries.map(BrowseModel.Item.init))
        } catch { report(error) }
    }

    /// Does what needs no terminal.
    mutating func perform(_ effect: BrowseModel.Effect) {
        do throws(Refusal) {
            switch effect {
            case .copy(let item):
                let clipboard = try surroundings.clipboard()
                model.message = try surroundings.copy(
                    .password,
                    of: entries[item].entry,
                    to: clipboard,
                    clearAfter: clearAfter
                )
            case .reveal(let item): secret = try surroundings.secret(of: entries[item].entry)
            case .explain(let name): model.open(try explanation(of: name))
            case .lock:
                try refusing { () throws(KeychainError) in try surroundings.keychain.device.lock() }
                lock()
            case .unlock, .reload, .suspend, .quit: break
            }
        } catch { report(error) }
    }

    private mutating func report(_ error: Refusal) {
        hide()
        let isLocked = (try? surroundings.keychain.device.status())?.isLocked == true
        if error.status == .locked, isLocked { lock() }
        model.message = String(error.description.prefix { $0 != "\n" }).printable
    }

    /// Shows no names either.
    private mutating func lock() {
        hide()
        entries = []
        model.setItems([])
        model.isLocked = true
    }

    /// Why a password of a name is found or not, as the doctor sees it.
    private func explanation(of name: String) throws(Refusal) -> String {
        let division = ItemName.divisions(name).last ?? (name, "")
        var texts: [String] = []
        for passwordClass in PasswordClass.allCases {
            var query: PropertyDictionary = [
                PropertyKey.itemClass: .string(passwordClass.itemClass.rawValue),
                passwordClass.service.description: .string(division.service),
                AttributeName.synchronizable.description: .string(PropertyKey.synchronizableAny),
                PropertyKey.returnAttributes: .boolean(true),
            ]
            if !division.account.isEmpty { query[AttributeName.account.description] = .string(division.account) }
            let request = KeychainRequest(.copyMatching(query), client: .person)
            let report = try refusing { () throws(KeychainError) in
                try Doctor.report(ExaminedCall(request), of: surroundings.keychain)
            }
            texts.append("As \(passwordClass.rawValue) password:\n\(report.humanText)")
        }
        return texts.joined(separator: "\n\n")
    }
}

extension BrowseModel.Item {
    fileprivate init(_ password: ListedPassword) {
        name = password.entry.name
        cells = {
            let cells = password.cells
            return (cells[0], cells[1], cells[3])
        }
        texts = { password.searchedTexts }
        rows = { password.attachments.rows + password.entry.rows }
    }
}
