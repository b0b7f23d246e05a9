# SPDX-License-Identifier: Apache-2.0
"""A Secret Service with a bus and a home of its own, which end with it."""

import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

PASSCODE = "open sesame"

# As the bus of a session, but without the files of other services, so that it starts none.
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
<limit name="max_incoming_bytes">1000000000</limit><limit name="max_incoming_unix_fds">250000000</limit>
<limit name="max_outgoing_bytes">1000000000</limit><limit name="max_outgoing_unix_fds">250000000</limit>
<limit name="max_message_size">1000000000</limit><limit name="max_completed_connections">100000</limit>
<limit name="max_incomplete_connections">10000</limit><limit name="max_connections_per_user">100000</limit>
<limit name="max_names_per_connection">50000</limit><limit name="max_match_rules_per_connection">50000</limit>
<limit name="max_replies_per_connection">50000</limit></busconfig>
"""

# Answers as the file "answer" says: the passcode, "cancel", or "wait" until it is killed.
PINENTRY = """#!/bin/sh
echo "OK ready"
while read -r word rest; do
    case "$word" in
        GETPIN)
            echo x >> "{folder}/asked"
            answer="$(cat "{folder}/answer")"
            case "$answer" in
                cancel) echo "ERR 83886179 cancelled" ;;
                wait) sleep 600 ;;
                *) echo "D $answer"; echo OK ;;
            esac ;;
        BYE) echo OK; exit 0 ;;
        *) echo OK ;;
    esac
done
"""

# The places where a service is tried: our own bus, dbus-daemon, and for comparison gnome-keyring on dbus-daemon.
PLACES = ("own", "dbus", "gnome")


class Service:
    def __init__(self, place, build):
        self.place, self.build = place, pathlib.Path(build)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kss"))
        self.processes = []
        self.daemon = None
        self.socket = self.folder / "bus"
        for name in ("home", "run", "keychain"):
            (self.folder / name).mkdir(mode=0o700)
        self.environment = {
            "PATH": f"{self.build}:/usr/bin:/bin:/usr/local/bin",
            "HOME": str(self.folder / "home"),
            "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "SWIFT_KEYCHAIN_HOME": str(self.folder / "keychain"),
            "SWIFT_KEYCHAIN_AUTHENTICATOR": "none",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.socket}",
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }
        pinentry = self.folder / "pinentry"
        pinentry.write_text(PINENTRY.format(folder=self.folder))
        pinentry.chmod(0o700)
        self.answer("cancel")

    def __enter__(self):
        if self.place != "own":
            self.start_bus()
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        for process in self.processes:
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start_bus(self):
        (self.folder / "bus.conf").write_text(BUS.format(path=self.socket))
        words = ["dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile"]
        log = subprocess.DEVNULL
        self.processes.append(subprocess.Popen(words, env=self.environment, stdout=log, stderr=log))
        wait(self.socket.exists)

    def start(self):
        """Starts the service, unlocked, and returns once it has its name."""
        if self.place == "gnome":
            words = ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"]
        else:
            words = [self.build / "keychaind", "--foreground", "--secret-service", "--unlock-fd", "0"]
            words += ["--pinentry", self.folder / "pinentry"]
            if self.place == "own":
                words += ["--bus", self.socket]
        environment = dict(self.environment)
        if self.place == "own":
            del environment["DBUS_SESSION_BUS_ADDRESS"]
        with open(self.folder / "log", "ab") as log:
            self.daemon = subprocess.Popen(words, env=environment, stdin=subprocess.PIPE, stdout=log, stderr=log)
        self.daemon.stdin.write(PASSCODE.encode())
        self.daemon.stdin.close()
        wait(self.serves)

    def serves(self):
        if self.daemon.poll() is not None:
            raise RuntimeError(f"the service has ended with {self.daemon.returncode}: {self.log()}")
        words = ["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus"]
        words += ["--method", "org.freedesktop.DBus.NameHasOwner", "org.freedesktop.secrets"]
        return b"true" in subprocess.run(words, env=self.environment, capture_output=True).stdout

    def stop(self, by=signal.SIGTERM):
        """Ends the service. Returns its exit status."""
        if self.daemon is None:
            return None
        self.daemon.send_signal(by)
        try:
            status = self.daemon.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
            status = self.daemon.wait()
        self.daemon = None
        return status

    def answer(self, text):
        """What a person answers to the next questions: a passcode, "cancel" or "wait"."""
        (self.folder / "answer").write_text(text)

    def asked(self):
        """How often a person has been asked."""
        path = self.folder / "asked"
        return len(path.read_text().split()) if path.exists() else 0

    def log(self):
        return (self.folder / "log").read_text(errors="replace")[-2000:]


def wait(condition, seconds=30):
    """Waits until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"nothing within {seconds} s")
        time.sleep(0.05)
