// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl browse`.
struct BrowseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse",
        abstract: "Shows the passwords on a screen, to search as you type, to copy and to look at.",
        discussion: CommandDiscussion.text(
            """
            Letters search, as 'keychainctl search' does. Enter copies the password, as 'keychainctl clip' does; control-R \
            shows it for as long as the key is held, and a second longer; control-E says why a password of the name that was \
            typed is not visible; control-L locks the keychain; Escape leaves.

            It needs a terminal, and leaves nothing on it. Names are shown without what a terminal would obey.
            """,
            examples: [
                "keychainctl browse": "Shows all passwords.",
                "keychainctl browse --class internet": "Shows those of servers.",
            ]
        )
    )

    @OptionGroup var filter: ListFilter

    @Option(help: ArgumentHelp("The time until a copied password is cleared; 0 for never.", valueName: "seconds"))
    var clearAfter = 45

    func validate() throws { try ClipCommand.checkTime(clearAfter) }

    func run() throws {
        let surroundings = Surroundings.current
        try BrowseTerminal.check(surroundings.environment)
        let terminal = try BrowseTerminal()
        // A locked keychain asks for the passcode before there is a screen.
        let entries = try filter.entries(surroundings)
        var browser = Browser(surroundings, entries, size: terminal.size, clearAfter: clearAfter)
        try terminal.enter()
        defer { terminal.leave() }
        var keys = BrowseKeys()
        while true {
            terminal.draw(browser.model.screen, secret: browser.secret)
            let event = terminal.next(
                milliseconds: keys.isIncomplete ? 50 : browser.model.milliseconds(at: terminal.now)
            )
            var pressed: [BrowseKey] = []
            switch event {
            case .ended: return
            case .resized:
                browser.model.size = terminal.size
                browser.hide()
                terminal.forget()
            case .signal(let number): try obey(number, at: terminal, &browser)
            case .bytes(let bytes): pressed = keys.keys(in: bytes)
            case .timeout: pressed = keys.keysAtPause()
            }
            for key in pressed {
                // One after the other: what one does may leave the next one without an item.
                for effect in browser.model.handle(key, at: terminal.now) {
                    guard try perform(effect, on: terminal, &browser) else { return }
                }
            }
            browser.model.pass(to: terminal.now)
            if browser.model.revealed == nil { browser.hide() }
        }
    }

    /// Does what a key asks for.
    ///
    /// - Returns: `false` to leave.
    private func perform(
        _ effect: BrowseModel.Effect,
        on terminal: BrowseTerminal,
        _ browser: inout Browser
    ) throws(Refusal) -> Bool {
        switch effect {
        case .quit: return false
        case .suspend: try obey(BrowseTerminal.stop, at: terminal, &browser)
        case .reload:
            let surroundings = browser.surroundings
            browser.read { () throws(Refusal) in try filter.entries(surroundings) }
        case .unlock:
            browser.hide()
            terminal.leave()
            // The passcode is asked for on the terminal as it was.
            browser.read { () throws(Refusal) in try filter.entries(Surroundings.current) }
            try terminal.enter()
        default: browser.perform(effect)
        }
        return true
    }

    /// Ends or stops this program, with the terminal as it was.
    private func obey(_ signal: Int32, at terminal: BrowseTerminal, _ browser: inout Browser) throws(Refusal) {
        browser.hide()
        terminal.leave()
        terminal.obey(signal)
        // Reached if it was stopped, and goes on.
        browser.model.size = terminal.size
        try terminal.enter()
    }
}
