# SPDX-License-Identifier: Apache-2.0
"""git with git-credential-libsecret, including the cases that git itself tries with every helper."""

import os

from checks import equal, run as run_program, true


def run(checks, service):
    helper = os.environ.get("GIT_CREDENTIAL_LIBSECRET")
    if not helper:
        checks.miss("git-credential-libsecret")
        return
    check = checks.check
    environment = dict(service.environment, GIT_ASKPASS="/bin/false")

    def git(*words, lines=()):
        return run_program(["git", *words], environment, ("\n".join(lines) + "\n").encode())

    equal(git("config", "--global", "credential.helper", helper).status, 0)

    def parts(host=None, user=None, password=None, protocol="https", path=None):
        pairs = [("protocol", protocol), ("host", host), ("path", path), ("username", user), ("password", password)]
        return [f"{name}={value}" for name, value in pairs if value is not None]

    def fill(*options, **pattern):
        outcome = git(*options, "credential", "fill", lines=parts(**pattern))
        if outcome.status != 0:
            return None
        found = dict(line.split("=", 1) for line in outcome.output.decode().splitlines())
        return found.get("username"), found.get("password")

    def approve(*options, **parts_):
        equal(git(*options, "credential", "approve", lines=parts(**parts_)).status, 0)

    def reject(**parts_):
        equal(git("credential", "reject", lines=parts(**parts_)).status, 0)

    with_path = ("-c", "credential.useHttpPath=true")
    host = "example.com"

    # git's own cases
    check("there is none yet", lambda: equal(fill(host=host), None))
    check("stores", lambda: approve(host=host, user="store-user", password="store-pass"))
    check("retrieves", lambda: equal(fill(host=host), ("store-user", "store-pass")))
    check("the protocol counts", lambda: equal(fill(host=host, protocol="http"), None))
    check("the host counts", lambda: equal(fill(host="other.example"), None))
    check("the user counts", lambda: equal(fill(host=host, user="other"), None))
    check("the user finds", lambda: equal(fill(host=host, user="store-user"), ("store-user", "store-pass")))

    def paths():
        approve(*with_path, host="path.tld", path="foo.git", user="u", password="p")
        equal(fill(*with_path, host="path.tld", path="bar.git"), None)
        equal(fill(*with_path, host="path.tld", path="foo.git"), ("u", "p"))

    check("the path counts", paths)

    def forget():
        reject(host=host)
        equal(fill(host=host), None)

    check("forgets a host", forget)

    def several():
        approve(host=host, user="user1", password="pass1")
        approve(host=host, user="user2", password="pass2")
        equal(fill(host=host, user="user1"), ("user1", "pass1"))
        equal(fill(host=host, user="user2"), ("user2", "pass2"))

    check("keeps several users", several)

    def forget_user():
        reject(host=host, user="user1")
        equal(fill(host=host, user="user1"), None)

    check("forgets a user", forget_user)
    check("another user stays", lambda: equal(fill(host=host, user="user2"), ("user2", "pass2")))
    check("an empty user", lambda: (approve(host="sso.tld", user="", password=""), equal(fill(host="sso.tld", user=""), ("", ""))))

    # Others
    check("stores again", lambda: approve(host=host, user="user2", password="newer"))
    check("the newer one is there", lambda: equal(fill(host=host), ("user2", "newer")))

    def ports():
        approve(host="port.tld:8443", user="u", password="at the port")
        equal(fill(host="port.tld:8443"), ("u", "at the port"))
        equal(fill(host="port.tld:8444"), None)

    check("the port counts", ports)
    check("other scripts", lambda: (approve(host="é.tld", user="änna", password="pässwörd 日本語"),
                                    equal(fill(host="é.tld"), ("änna", "pässwörd 日本語"))))
    check("blanks and quotes", lambda: (approve(host="q.tld", user="a b", password=" \"'= "), equal(fill(host="q.tld"), ("a b", " \"'= "))))
    check("a long token", lambda: (approve(host="long.tld", user="u", password="t" * 900), equal(fill(host="long.tld"), ("u", "t" * 900))))
    check("an operation that is not known is passed over", lambda: equal(run_program([helper, "nothing"], environment).status, 0))

    def labelled():
        outcome = run_program(["secret-tool", "search", "--all", "server", "port.tld"], environment)
        true(b"label = Git: https://port.tld:8443/" in outcome.output, repr(outcome))
        true(b"attribute.port = 8443" in outcome.output + outcome.errors, repr(outcome))

    check("items are as git labels them", labelled)

    def read_elsewhere():
        outcome = run_program(["secret-tool", "lookup", "server", "port.tld", "user", "u"], environment)
        equal((outcome.status, outcome.output), (0, b"at the port"))

    check("secret-tool reads them", read_elsewhere)
