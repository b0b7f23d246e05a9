# SPDX-License-Identifier: Apache-2.0
"""uv, GitHub's client, Subversion, msmtp, pinentry, and what Chromium calls."""

import base64
import pathlib
import shutil
import socket
import subprocess
import sys
import threading

from checks import equal, run as run_program, true
from client import LOGIN, SERVICE, Client
from service import wait


def run(checks, service):
    environment = dict(service.environment)
    environment["PATH"] = f"{pathlib.Path(sys.executable).parent}:{environment['PATH']}"

    def there(program):
        if shutil.which(program, path=environment["PATH"]):
            return True
        checks.miss(program)
        return False

    def program(*words, input=b"", **more):
        return run_program(words, dict(environment, **more), input)

    def stored(secret, label, *attributes):
        outcome = program("secret-tool", "store", f"--label={label}", *attributes, input=secret)
        equal(outcome.status, 0)

    if there("uv"):
        uv_checks(checks.check, program)
    if there("gh"):
        github(checks.check, program, stored, service)
    if there("svn") and there("svnadmin"):
        subversion(checks.check, program, service)
    if there("msmtp"):
        mail(checks.check, program, stored, service)
    if there("pinentry-gnome3"):
        pinentry(checks.check, program, stored)
    chromium(checks.check, service)
    go(checks.check, service)


def uv_checks(check, program):
    preview = {"UV_PREVIEW_FEATURES": "native-auth"}
    url = "https://example.com"
    words = (url, "--username", "anna")

    def token():
        outcome = program("uv", "auth", "token", *words, **preview)
        return outcome.output.decode().strip() if outcome.status == 0 else None

    check("uv finds nothing", lambda: equal(token(), None))
    check("uv logs in", lambda: equal(program("uv", "auth", "login", *words, "--password", "s3cret", **preview).status, 0))
    check("uv finds the password", lambda: equal(token(), "s3cret"))
    check("it is in the service", lambda: equal(
        program("secret-tool", "lookup", "application", "uv", "service", "uv:example.com").output, b"s3cret"))
    check("uv logs in again", lambda: (program("uv", "auth", "login", *words, "--password", "other", **preview), equal(token(), "other")))
    check("uv logs out", lambda: (equal(program("uv", "auth", "logout", *words, **preview).status, 0), equal(token(), None)))


def github(check, program, stored, service):
    """A program in Go, with go-keyring; signing in asks GitHub, and is left out."""
    folder = service.folder / "home/.config/gh"
    folder.mkdir(parents=True)
    (folder / "hosts.yml").write_text("github.com:\n    user: anna\n    git_protocol: https\n    users:\n        anna:\n")
    stored(b"gho_test", "Password for 'anna' on 'gh:github.com'", "service", "gh:github.com", "username", "anna")
    stored(b"gho_test", "Password for '' on 'gh:github.com'", "service", "gh:github.com", "username", "")
    token = lambda: program("gh", "auth", "token", "--hostname", "github.com")
    check("gh finds the token", lambda: equal((token().status, token().output.strip()), (0, b"gho_test")))

    def out():
        program("gh", "auth", "logout", "--hostname", "github.com", "--user", "anna")
        equal(program("secret-tool", "lookup", "service", "gh:github.com", "username", "anna").status, 1)

    check("gh logs out", out)


def subversion(check, program, service):
    """Over its own protocol, so that no web server is needed."""
    repository = service.folder / "repository"
    equal(program("svnadmin", "create", str(repository)).status, 0)
    (repository / "conf/svnserve.conf").write_text("[general]\nanon-access = none\nauth-access = write\npassword-db = passwd\nrealm = test\n")
    (repository / "conf/passwd").write_text("[users]\nanna = s3cret\n")
    options = ["--non-interactive", "--config-option", "config:auth:password-stores=gnome-keyring",
               "--config-option", "servers:global:store-plaintext-passwords=no"]
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    words = ["svnserve", "--daemon", "--foreground", "--listen-host", "127.0.0.1", "--listen-port", str(port), "--root", str(service.folder)]
    daemon = subprocess.Popen(words, env=service.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        def listens():
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return True
            except OSError:
                return False
        wait(listens)
        url = f"svn://127.0.0.1:{port}/repository"
        info = lambda *more: program("svn", "info", *options, *more, url)
        check("svn gets nothing without a password", lambda: true(info().status != 0))
        check("svn signs in", lambda: equal(info("--username", "anna", "--password", "s3cret").status, 0))
        check("svn remembers the password", lambda: equal(info("--username", "anna").status, 0))
        check("it is in the service", lambda: equal(program("secret-tool", "lookup", "user", "anna").output, b"s3cret"))
    finally:
        daemon.kill()
        daemon.wait()


def mail(check, program, stored, service):
    """msmtp, with a server of one connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        configuration = service.folder / "home/.msmtprc"
        configuration.write_text(
            f"account default\nhost 127.0.0.1\nport {port}\nfrom a@example.com\nauth plain\nuser anna\ntls off\n"
        )
        configuration.chmod(0o600)
        seen = []

        def serve():
            connection, _ = listener.accept()
            with connection, connection.makefile("rw", newline="\r\n") as lines:
                def say(text):
                    lines.write(text + "\n")
                    lines.flush()
                say("220 test")
                for line in lines:
                    seen.append(line.strip())
                    word = line.split()[0].upper()
                    if word == "EHLO":
                        say("250-test\r\n250 AUTH PLAIN")
                    elif word == "AUTH":
                        say("235 ok")
                    elif word == "DATA":
                        say("354 go on")
                        while lines.readline().strip() != ".":
                            pass
                        say("250 ok")
                    elif word == "QUIT":
                        return say("221 bye")
                    else:
                        say("250 ok")

        stored(b"s3cret", "mail", "host", "127.0.0.1", "service", "smtp", "user", "anna")
        server = threading.Thread(target=serve, daemon=True)
        server.start()

        def sends():
            outcome = program("msmtp", "b@example.com", input=b"Subject: test\n\ntext\n")
            equal(outcome.status, 0)
            answer = base64.b64encode(b"\0anna\0s3cret").decode()
            true(any(answer in line for line in seen), "no such password was sent")

        check("msmtp sends with the password", sends)


def pinentry(check, program, stored):
    stored(b"a pass phrase", "GnuPG: test", "xdg:schema", "org.gnupg.Passphrase", "keygrip", "n/ABCDEF", "stored-by", "GnuPG Pinentry")

    def reads():
        lines = b"OPTION allow-external-password-cache\nSETKEYINFO n/ABCDEF\nGETPIN\nBYE\n"
        outcome = program("pinentry-gnome3", input=lines)
        true(b"PASSWORD_FROM_CACHE" in outcome.output and b"D a pass phrase" in outcome.output, repr(outcome))

    check("pinentry reads a passphrase", reads)

    def forgets():
        program("pinentry-gnome3", input=b"OPTION allow-external-password-cache\nCLEARPASSPHRASE n/ABCDEF\nBYE\n")
        equal(program("secret-tool", "lookup", "keygrip", "n/ABCDEF").status, 1)

    check("pinentry forgets it", forgets)


def chromium(check, service):
    """The calls of Chromium, in their order."""
    with Client(service) as client:
        attributes = {"application": "chromium", "xdg:schema": "chrome_libsecret_os_crypt_password_v2"}

        def key(secret):
            equal(client.call(SERVICE, "Service", "ReadAlias", "s", "default"), LOGIN)
            true(client.get(LOGIN, "Collection", "Label") != "")
            equal(client.call(SERVICE, "Service", "Unlock", "ao", [LOGIN]), ([LOGIN], "/"))
            coding = client.open_plain()
            found = client.call(LOGIN, "Collection", "SearchItems", "a{ss}", {"application": "chromium"})
            if not found:
                found = [client.create(coding, attributes, secret, "Chromium Safe Storage", at=LOGIN)]
            read = client.secret(found[0], coding)[0]
            client.call(coding.path, "Session", "Close")
            return read

        check("Chromium makes a key", lambda: equal(key(b"first"), b"first"))
        check("Chromium finds it", lambda: equal(key(b"second"), b"first"))


def go(check, service):
    """The calls of go-keyring, in their order."""
    with Client(service) as client:
        def unlock(path):
            found, prompt = client.call(SERVICE, "Service", "Unlock", "ao", [path])
            equal((found, prompt), ([path], "/"))

        def sets():
            true(LOGIN in client.get(SERVICE, "Service", "Collections"))
            coding = client.open_plain()
            unlock(LOGIN)
            client.create(coding, {"username": "anna", "service": "go"}, b"s3cret", "Password for 'anna' on 'go'", True, LOGIN, "text/plain; charset=utf8")
            client.call(coding.path, "Session", "Close")

        def gets():
            unlock(LOGIN)
            (item,) = client.call(LOGIN, "Collection", "SearchItems", "a{ss}", {"username": "anna", "service": "go"})
            coding = client.open_plain()
            unlock(item)
            equal(client.secret(item, coding)[0], b"s3cret")
            client.call(coding.path, "Session", "Close")

        check("go-keyring stores", sets)
        check("go-keyring reads", gets)
