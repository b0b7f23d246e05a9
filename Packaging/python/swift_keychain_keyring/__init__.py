# SPDX-License-Identifier: Apache-2.0
"""A back end of keyring for swift-keychain, by the program keychain-keyring."""

import json
import shutil
import subprocess
import sys

from keyring import backend, credentials, errors

try:
    from jaraco.classes.properties import classproperty
except ImportError:
    from keyring._compat import properties

    classproperty = properties.classproperty

PROGRAM = "keychain-keyring"


class KeychainKeyring(backend.KeyringBackend):
    """Passwords as generic passwords in the keychain of the user."""

    @classproperty
    def priority(cls):
        """Before other keyrings of Linux, where the program is installed."""
        if shutil.which(PROGRAM) is None:
            raise RuntimeError(f"{PROGRAM} is not in PATH")
        return 6

    def get_password(self, service, username):
        answer = self._answer([], service, username or "")
        return None if answer is None else answer["password"]

    def get_credential(self, service, username):
        words = [] if username is None else [username]
        answer = self._answer(["--mode", "creds"], service, *words)
        if answer is None:
            return None
        return credentials.SimpleCredential(answer["username"], answer["password"])

    def set_password(self, service, username, password):
        # The newline ends the password; one at its end stays.
        result = self._run(["set", "--", service, username or ""], password + "\n")
        if result.returncode != 0:
            raise errors.PasswordSetError(result.stderr.strip())

    def delete_password(self, service, username):
        result = self._run(["del", "--", service, username or ""])
        if result.returncode != 0:
            raise errors.PasswordDeleteError(result.stderr.strip())

    def _answer(self, options, *words):
        result = self._run(options + ["--output", "json", "get", "--", *words])
        if result.returncode == 0:
            return json.loads(result.stdout)
        # A keychain that cannot be read is as one without the password; the line says why.
        sys.stderr.write(result.stderr)
        return None

    @staticmethod
    def _run(words, text=""):
        # pip, and what runs the command keyring, ask for whatever server a file of requirements names.
        servers = ["--for-servers"] if {"pip._internal", "keyring.cli"} & sys.modules.keys() else []
        return subprocess.run([PROGRAM, *servers, *words], input=text, capture_output=True, check=False, encoding="utf-8")
