// SPDX-License-Identifier: Apache-2.0

import Keychain
import KeychainTesting
import LoginToken
import Testing

@Suite("The program", .keychain) struct ProgramTests {
    private let terminal = Terminal()

    @Test("logs in, says who, gives the token, logs out") func wholeStory() {
        #expect(terminal.run("whoami").code == .notLoggedIn)
        #expect(terminal.run("login", "ada", token: "t0ken").text == "Logged in as ada.")
        #expect(terminal.run("whoami") == Program.Answer(success: "ada"))
        #expect(terminal.run("token") == Program.Answer(success: "t0ken"))
        #expect(terminal.run("logout") == Program.Answer(success: "Logged out."))
        #expect(terminal.run("token").code == .notLoggedIn)
        #expect(terminal.run("logout").code == .notLoggedIn)
    }

    @Test(
        "needs a command, and a token to log in",
        arguments: [[], ["login"], ["login", "ada"], ["token", "x"], ["x"]]
    )
    func usage(words: [String]) {
        let program = Program(LoginStore(in: SystemKeychain(), mark: Terminal.Folder()))
        #expect(program.run(words) { nil }.code == .usage)
    }

    @Test("an item that is no login is an error, and not absence") func damaged() throws {
        try SystemKeychain().set(
            "no login",
            for: GenericPassword(service: "com.example.login-token"),
            protection: .accessible(.afterFirstUnlock)
        )
        let answer = terminal.run("token")
        #expect(answer.code == .failure)
        #expect(!answer.text.contains("no login"))
    }
}

extension Program.Answer {
    init(success text: String) { self.init(code: .success, text: text) }
}
