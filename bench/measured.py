"""What the benches in Python have in common: a command with its seconds and memory, sizes as people write them."""
import os
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCADYG = os.path.join(ROOT, "build", "scadyg")
BENCHES = os.path.join(ROOT, "build", "bench")
UNITS = {"K": 1e3, "M": 1e6, "B": 1e9}


class Failed(Exception):
    """A sentence for a person."""


def number(text):
    """63.5M, 10K, 1B or a plain number, above 0."""
    factor = UNITS.get(text[-1:].upper(), 1)
    try:
        value = round(float(text[:-1] if factor != 1 else text) * factor)
    except (ValueError, OverflowError):
        value = 0
    if value < 1:
        raise Failed(f"'{text}' is no number of something, as 10M or 300000 are")
    return value


def in_words(count):
    """As people write it: 10 K, 63.5 M."""
    for unit in ("B", "M", "K"):
        if count >= UNITS[unit]:
            return f"{count / UNITS[unit]:.3g} {unit}"
    return str(count)


def run(command, **more):
    """The command's output, its seconds and its largest resident size in bytes."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, **more)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise Failed(f"{' '.join(command)}: {reason(process.returncode, err.read().decode(errors='replace'))}")
        return out.read().decode(), seconds, usage.ru_maxrss * 1024


def reason(code, said):
    """The last line of what a command said, and its signal: one that was killed for its memory says nothing."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    words = lines[-1:] or ([] if code < 0 else ["it says nothing"])
    return "; ".join(words + ([f"ended by signal {-code}"] if code < 0 else [f"exit status {code}"]))
