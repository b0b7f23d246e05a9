// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import LoginToken

let environment = ProcessInfo.processInfo.environment
// An empty or a relative one does not count, as the specification says: the mark would lie wherever the program was
// started.
let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
let folder = state ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/state")
let mark = FileMark(in: folder.appendingPathComponent("login-token"))
let program = Program(LoginStore(in: SystemKeychain(), mark: mark))

let answer = program.run(Array(CommandLine.arguments.dropFirst())) { try SecretInput.read(prompt: "Token: ") }
let output = answer.code == .success ? FileHandle.standardOutput : .standardError
output.write(Data("\(answer.text)\n".utf8))
exit(answer.code.rawValue)
