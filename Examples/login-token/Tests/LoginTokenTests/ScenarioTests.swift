// SPDX-License-Identifier: Apache-2.0

import Keychain
import KeychainTesting
import LoginToken
import Testing

/// What happens to a token on a device that lives.
@Suite("In six scenarios", .keychain) struct ScenarioTests {
    private let folder = Terminal.Folder()
    private var terminal: Terminal { Terminal(folder) }
    private var device: VirtualDevice { get throws { try #require(App.current).device } }

    @Test("1. locked: a job at night has its token") func locked() throws {
        _ = terminal.run("login", "ada", token: "t0ken")
        try device.lock()
        #expect(terminal.run("token") == Program.Answer(success: "t0ken"))
        // A new token can be stored, too; and the old one is not lost on the way.
        #expect(terminal.run("login", "ada", token: "new").code == .success)
        #expect(terminal.run("token") == Program.Answer(success: "new"))
    }

    @Test("2. before the first unlock: later is not never") func beforeFirstUnlock() throws {
        _ = terminal.run("login", "ada", token: "t0ken")
        try device.reboot()
        for words in [["token"], ["whoami"]] {
            let answer = Program(LoginStore(in: SystemKeychain(), mark: folder)).run(words) { nil }
            #expect(answer.code == .tryLater)
            #expect(answer.text.contains("locked") && !answer.text.contains("Not logged in"))
        }
        #expect(terminal.run("login", "eve", token: "other").code == .tryLater)
        try device.unlock()
        #expect(terminal.run("token") == Program.Answer(success: "t0ken"))
    }

    @Test("3. duplicate: a second login replaces the first, whatever else the item says") func duplicate() throws {
        // Stored by another version, with a label and another protection: none of it is part of the item's key.
        try SystemKeychain().set(
            Login(user: "ada", token: "old"),
            for: GenericPassword(service: "com.example.login-token"),
            protection: .accessible(.whenUnlocked),
            details: ItemDetails(label: "of version 1")
        )
        #expect(terminal.run("login", "bob", token: "new").code == .success)
        #expect(terminal.run("whoami") == Program.Answer(success: "bob"))
        // The protection is the new one as well: the next job at night can read it.
        try device.lock()
        #expect(terminal.run("token") == Program.Answer(success: "new"))
    }

    @Test("4. another team: its items are not ours, and ours are not lost") func anotherTeam() throws {
        _ = terminal.run("login", "ada", token: "t0ken")
        let transferred = try device.install("com.example.app", team: "OTHERTEAM1")
        transferred.run {
            let terminal = Terminal()
            #expect(terminal.run("whoami").code == .notLoggedIn)
            #expect(terminal.run("login", "eve", token: "theirs").code == .success)
            #expect(terminal.run("logout").code == .success)
        }
        #expect(terminal.run("token") == Program.Answer(success: "t0ken"))
    }

    @Test("5. reinstalled: nobody finds themselves logged in as whoever had the machine before") func leftovers()
        throws
    {
        _ = terminal.run("login", "ada", token: "t0ken")
        let again = Terminal.Folder()
        // At first in the dark: nothing is deleted that cannot be judged.
        try device.reboot()
        #expect(Terminal(again).run("whoami").code == .tryLater)
        try device.unlock()
        #expect(Terminal(again).run("whoami").code == .notLoggedIn)
        #expect(Terminal(again).run("login", "bob", token: "new").code == .success)
        #expect(Terminal(again).run("whoami") == Program.Answer(success: "bob"))
    }

    @Test("6. restored to a new device: the token stays with the old one") func restored() throws {
        _ = terminal.run("login", "ada", token: "t0ken")
        let backup = try device.backUp(password: "of the backup")
        let app = try VirtualDevice(restoring: backup, password: "of the backup").install()
        app.run {
            // The backup has the program's folder, and with it the mark of the old device.
            let terminal = Terminal(Terminal.Folder(mark: folder.readMark()))
            #expect(terminal.run("whoami").code == .notLoggedIn)
            #expect(terminal.run("login", "ada", token: "new").code == .success)
            #expect(terminal.run("token") == Program.Answer(success: "new"))
        }
        #expect(terminal.run("token") == Program.Answer(success: "t0ken"))
    }
}
