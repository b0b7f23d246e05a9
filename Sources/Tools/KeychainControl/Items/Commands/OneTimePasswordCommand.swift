// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl otp`.
struct OneTimePasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "otp",
        abstract: "Shows the one-time password of an item whose secret is a key for such.",
        discussion: CommandDiscussion.text(
            """
            The secret is a URI otpauth://totp/… or otpauth://hotp/…, as QR pictures have it, or the key alone in base 32. \
            'keychainctl set github.com/otp' asks for it, and stores it. A counter is stored before its password is shown, and none is used twice, also by calls at the same time. \
            --picture replaces an older key, but no password.
            """,
            examples: [
                "keychainctl otp github.com/otp": "Shows the password of this half minute.",
                "keychainctl otp github.com/otp | wl-copy": "Gives it to the clipboard.",
                "keychainctl otp --picture qr.png github.com/otp": "Stores the key of a picture (needs zbarimg).",
            ]
        )
    )

    @OptionGroup var item: ItemName

    @Option(
        help: ArgumentHelp("Store the key of this QR picture, which zbarimg reads.", valueName: "file"),
        completion: .file()
    )
    var picture: String?

    @Flag(help: "With --picture: replace a password that is no such key.")
    var replace = false

    func validate() throws {
        guard picture != nil || !replace else { throw ValidationError("--replace is for --picture.") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        if let picture { return try store(picture, surroundings) }
        let entry = try surroundings.item(try item.choices(), named: item.name)
        let secret = try surroundings.secret(of: entry)
        let key = try OneTimePassword(secret)
        switch key.moving {
        case .time(let period):
            let now = surroundings.seconds()
            surroundings.printLine(try key.code(at: now))
            guard surroundings.isTerminal(surroundings.standardOutput) else { return }
            surroundings.remark("For another \(Count.text(period - now % period, "second")).")
        case .counter:
            var code = ""
            try surroundings.changeSecret(of: entry) { (secret) throws(Refusal) in
                let key = try OneTimePassword(secret)
                guard case .counter(let counter) = key.moving else {
                    throw Refusal("the key was changed meanwhile by another program")
                }
                code = key.code(of: counter)
                return try OneTimePassword.uri(secret, counter: counter + 1)
            }
            surroundings.printLine(code)
        }
    }

    private func store(_ picture: String, _ surroundings: Surroundings) throws {
        let output = try surroundings.output(["zbarimg", "--quiet", "--raw", "--", AbsolutePath.of(picture)])
        let lines = output.split(separator: "\n").filter { $0.lowercased().hasPrefix("otpauth://") }
        guard lines.count == 1, let line = lines.first else {
            throw Refusal(
                "\(picture.printable) has \(lines.isEmpty ? "no" : "more than one") key for one-time passwords"
            )
        }
        let secret = SecretBytes(Array(line.utf8))
        _ = try OneTimePassword(secret)
        let target = try surroundings.target(of: item)
        guard let entry = target.entry else {
            surroundings.remark("\(try surroundings.store(secret, at: target).remark).")
            return
        }
        try surroundings.changeSecret(of: entry) { (old) throws(Refusal) in
            guard replace || OneTimePassword.isURI(old) else {
                throw Refusal(
                    "'\(target.name.printable)' is a password, and would be lost: give another name, or --replace"
                )
            }
            return secret
        }
        surroundings.remark("Replaced \(target.name.printable).")
    }
}
