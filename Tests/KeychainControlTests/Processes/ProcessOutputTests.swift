// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// `keychainctl` as a process: what it says beside its results.
@Suite(.timeLimit(.minutes(30)))
struct ProcessOutputTests {
    @Test("a reader who has seen enough hears nothing", arguments: ["keychainctl --help", "keychainctl device status"])
    func brokenPipe(_ command: String) throws {
        let folder = try TemporaryFolder()
        // The command starts when nobody reads its output any more; what it says beside that is read.
        let script = """
            exec 3>&1; mkfifo "$HOME/closed"
            { read -r _ <"$HOME/closed"; \(command) 2>&3; echo "status $?" >&3; } | { exec 0<&-; echo >"$HOME/closed"; }
            """
        let (_, output) = try ControlProcess.run(["sh", "-c", script], folder)
        #expect(output == "status \(128 + SIGPIPE)\n")
    }

    @Test("a secret goes from a file into the keychain and out again", arguments: ["one\ntwo\n", ""])
    func secret(_ contents: String) throws {
        let folder = try TemporaryFolder()
        let script = "keychainctl set svc/alice --file - 2>/dev/null && keychainctl get svc/alice"
        let (status, output) = try ControlProcess.run(["sh", "-c", script], folder, input: contents)
        #expect(status == 0 && output == contents)
    }

    @Test(
        "a terminal obeys nothing of an argument that a message repeats",
        arguments: [["backup", "show", "/none/\u{1B}[31mred"], ["\u{1B}[31m"], ["device", "--\u{9B}31m"]]
    )
    func controlCharacters(_ words: [String]) throws {
        let (status, output) = try ControlProcess.run(["keychainctl"] + words, try TemporaryFolder())
        #expect(status != 0 && output.contains("31m"), "\(output)")
        #expect(!output.unicodeScalars.contains { ["\u{1B}", "\u{9B}"].contains($0) })
    }

    @Test("a result that cannot be written is an error", arguments: ["--version", "device status", "words"])
    func fullOutput(_ words: String) throws {
        let script = "keychainctl \(words) >/dev/full"
        let (status, output) = try ControlProcess.run(["sh", "-c", script], try TemporaryFolder())
        #expect(status == 1 && output == "Error: standard output cannot be written: No space left on device\n")
    }

    @Test(
        "a descriptor that was not given is none of the program's own, such as that of the keychain",
        arguments: [
            "netrc example.com --output-fd", "recovery-key create --passcode-stdin --output-fd",
            "device set-passcode --passcode-fd", "backup schedule --to $HOME --keep 2 --secret-fd",
        ]
    )
    func ownDescriptors(_ words: String) throws {
        let folder = try TemporaryFolder()
        let add = "security add-internet-password -s example.com -a ada -r htps -w pw"
        let tries = "for n in 3 4 5 6 7 8 9; do echo 1234 | keychainctl \(words) $n && echo done; done 2>/dev/null"
        let find = "security find-internet-password -s example.com -w; keychainctl check >/dev/null; echo $?"
        let (_, output) = try ControlProcess.run(["sh", "-c", "\(add); \(tries); \(find)"], folder)
        #expect(output == "pw\n0\n")
        let locks = (FileManager.default.subpaths(atPath: folder.path) ?? []).filter { $0.hasSuffix(".lock") }
        #expect(locks.allSatisfy { FileManager.default.contents(atPath: folder.path(of: $0)) == Data() }, "\(locks)")
    }

    @Test(
        "an output takes no file's place that is not of its kind, and none in the keychain's own folder",
        arguments: ["$d/root.key", "$d/keychain.db", "$d/lock.mark", "$HOME/program"]
    )
    func otherFiles(_ path: String) throws {
        let script = """
            d="$SWIFT_KEYCHAIN_HOME"; [ -n "$d" ] || d="$HOME/.local/share/swift-keychain"
            cp /bin/true "$HOME/program"; security add-generic-password -s svc -a ada -w pw
            sums() { cat "$d/root.key" "$HOME/program" | cksum; ls "$d" | grep mark; }
            keychainctl team create t >/dev/null; before=$(sums)
            keychainctl sign --team-key t --output "\(path)" /bin/true 2>/dev/null && echo signed
            case "\(path)" in *lock.mark) keychainctl team create "\(path)" 2>/dev/null && echo made;; esac
            [ "$before" = "$(sums)" ] || echo changed
            security find-generic-password -s svc -w
            keychainctl sign --team-key t "$HOME/program" >/dev/null && keychainctl sign --team-key t "$HOME/program" \
                >/dev/null && echo again
            """
        let (_, output) = try ControlProcess.run(["sh", "-c", script], try TemporaryFolder())
        #expect(output == "pw\nagain\n")
    }

    @Test("a password is not written into the keychain's own folder, nor to where an escape sequence leads")
    func passwordFile() throws {
        let script = """
            export SWIFT_KEYCHAIN_HOME="$HOME/$(printf 'k\\033[31m')"
            echo pw | keychainctl set svc/ada 2>/dev/null
            for name in keychain.db-journal keychain.db.new root.key.new; do
                keychainctl get svc/ada --output "$SWIFT_KEYCHAIN_HOME/$name" 2>/dev/null; echo $?
            done
            keychainctl get svc/ada
            { keychainctl check; keychaind --store "$SWIFT_KEYCHAIN_HOME/none" --socket "$SWIFT_KEYCHAIN_HOME/none/s"; } \
                2>&1 | grep -c "$(printf '\\033')"
            """
        let (_, output) = try ControlProcess.run(["sh", "-c", script], try TemporaryFolder())
        #expect(output == "1\n1\n1\npw0\n")
    }

    @Test("a secret that was given as the value of an option for standard input is not repeated")
    func misplacedSecret() throws {
        let words = ["keychainctl", "device", "unlock", "--passcode-stdin=hunter2"]
        let (status, output) = try ControlProcess.run(words, try TemporaryFolder())
        #expect(status == 2 || status == 64, "\(status)")
        #expect(output.contains("--passcode-stdin takes no value") && !output.contains("hunter2"), "\(output)")
    }

    @Test("the version is one line")
    func version() throws {
        let (status, output) = try ControlProcess.run(["keychainctl", "--version"], try TemporaryFolder())
        #expect(status == 0 && output.hasPrefix("swift-keychain ") && output.hasSuffix("\n"))
    }
}
