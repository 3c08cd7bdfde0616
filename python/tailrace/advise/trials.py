"""Tries codecs and bounds on the samples. The compiled module compresses, as the servers do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from . import measures
from .errors import AdviceError
from .samples import Sample

OWN = "lorenzo"  # readers decode it only with a plugin of Tailrace
CODECS = ("zlib", "zstd", OWN)
BOUNDS = ("information: 0.99", "relative: 1 %", "relative: 0.1 %", "digits: 4")
SHARE = 0.99  # of the information, for the number of bits in the table


@dataclass
class Spectra:
    """Power by wave number along rows, summed over slices; `cells`: of a row."""

    cells: int = 0
    signal: np.ndarray | None = None
    error: np.ndarray | None = None

    def add(self, original: np.ndarray, stored: np.ndarray, valid: np.ndarray) -> None:
        signal = measures.row_power(original, valid)
        error = measures.row_power(np.where(valid, stored, 0.0) - np.where(valid, original, 0.0), valid)
        if signal is None or error is None:
            return
        self.cells = original.shape[1]
        self.signal = signal if self.signal is None else self.signal + signal
        self.error = error if self.error is None else self.error + error

    @property
    def passing(self) -> float | None:
        if self.signal is None or self.error is None:
            return None
        return measures.passing_length(self.signal, self.error, self.cells)


@dataclass
class Trial:
    """The result of one codec for one variable within one bound; `bound`: empty for exact values."""

    codec: str
    bound: str
    raw_bytes: int = 0
    bytes: int = 0
    encode_seconds: float = 0.0
    decode_seconds: float = 0.0
    chunks: int = 0
    exact_chunks: int = 0
    errors: measures.Errors = field(default_factory=measures.Errors)
    similarities: list[float] = field(default_factory=list)
    spectra: Spectra = field(default_factory=Spectra)

    @property
    def ratio(self) -> float:
        return self.raw_bytes / self.bytes

    @property
    def speed(self) -> float:
        """MB of values in a second of one core, with all checks."""
        return self.raw_bytes / max(self.encode_seconds, 1e-9) / 1e6

    @property
    def reading_speed(self) -> float:
        return self.raw_bytes / max(self.decode_seconds, 1e-9) / 1e6

    @property
    def ssim(self) -> float | None:
        """The mean over the slices."""
        return float(np.mean(self.similarities)) if self.similarities else None

    @property
    def settings(self) -> str:
        """The value of `compression` in a configuration."""
        return f"{{codec: {self.codec}, keep: {{{self.bound}}}}}" if self.bound else self.codec


@dataclass
class Advice:
    """The trials of one variable. `information`: in bits a value; `bits`: of the mantissa, that keep SHARE of it."""

    sample: Sample
    information: float
    bits: int | None
    trials: list[Trial]

    def smallest(self, bound: str, with_plugin: bool) -> Trial | None:
        """The best trial of the codecs that readers decode without a plugin of Tailrace, or of those that need it."""
        fit = [trial for trial in self.trials if trial.bound == bound and (trial.codec == OWN) == with_plugin]
        return max(fit, key=lambda trial: trial.ratio, default=None)


def bound_of(text: str) -> str:
    """`{absolute: 0.1}` and `absolute: 0.1` as the inside of `keep`."""
    inside = text.strip()
    if inside.startswith("{") and inside.endswith("}"):
        inside = inside[1:-1].strip()
    return inside


def check_bounds(bounds: Sequence[str], codecs: Sequence[str]) -> None:
    """By the parser of the configuration."""
    from tailrace import _core

    for bound in bounds:
        inside = f"{{{bound}}}" if ":" in bound else bound or "{}"  # `keep: 0.1` gets the nearest form with a name
        for codec in codecs:
            try:
                _core.Compression(f"{{codec: {codec}, keep: {inside}}}")
            except _core.Error as error:
                if error.code != "configuration":  # type: ignore[attr-defined]
                    raise
                what = "; ".join(line.partition("  ")[2] or line for line in str(error).splitlines())
                raise AdviceError(f"--keep {bound!r} with --codec {codec}: {what}") from None


def tried(sample: Sample, bounds: Sequence[str], codecs: Sequence[str]) -> Advice:
    trials = [_trial(sample, codec, "") for codec in codecs]
    trials += [_trial(sample, codec, bound) for bound in bounds for codec in codecs]
    information, bits = information_of(sample)
    return Advice(sample, information, bits, trials)


def _trial(sample: Sample, codec: str, bound: str) -> Trial:
    from tailrace import _core

    trial = Trial(codec, bound)
    compression = _core.Compression(trial.settings)
    for chunk in sample.chunks:
        stored = np.empty_like(chunk)
        made = compression.try_on(chunk, stored, sample.fill)
        trial.raw_bytes += chunk.nbytes
        trial.bytes += made.bytes
        trial.encode_seconds += made.encode_seconds
        trial.decode_seconds += made.decode_seconds
        trial.chunks += 1
        trial.exact_chunks += made.is_exact
        valid = sample.is_valid(chunk)
        trial.errors.add(chunk, stored, valid)
        if not bound:
            continue
        for before, after, with_data in measures.slices_of(chunk, stored, valid):
            if (similar := measures.ssim(before, after, with_data)) is not None:
                trial.similarities.append(similar)
            trial.spectra.add(before, after, with_data)
    return trial


def information_of(sample: Sample) -> tuple[float, int | None]:
    """The mean over the chunks of the information of each bit: its sum, and the bits of the mantissa that keep SHARE of
    it; nothing where there is no information, as in a constant field."""
    from tailrace import _core

    of_bits = np.mean([_core.Compression.information_of_bits(chunk, sample.fill) for chunk in sample.chunks], axis=0)
    total = float(of_bits.sum())
    if total <= 0.0:
        return 0.0, None
    before = 9 if len(of_bits) == 32 else 12  # sign and exponent
    needed = int(np.searchsorted(np.cumsum(of_bits), SHARE * total)) + 1
    return total, max(1, needed - before)
