"""Recognition of distorted scans: word error rate of clean scans of the corpus, and of the same ones distorted.

Each scan is turned askew by several angles, turned upside down, bent like the page of a bound book, and shadowed; the
table gives the mean word error rate of each distortion, and what it loses against the clean scans.
Usage: python -m tests.benchmarks.distorted_scans [--engines default] [--only skew] [--as-displayed] [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pypdfium2
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrSettings
from octavo.settings.settings import Settings
from PIL import Image

from .corpus import corpus_folder
from .ocr import Scan, read, scans

DPI = 200
CLEAN = (
    "image/scan-debian-faq-p13-clean.png",
    "image/scan-maint-guide-p10-photocopy.tiff",
    "image/linn-brochure.png",
    "image/sroie-130.jpg",
    "image/sroie-325.jpg",
    "image/sroie-395.jpg",
    "pdf/docling-ocr-test.pdf",
    "pdf/kreuzberg-non-searchable.pdf",
    "pdf/scan-debian-faq-fr-p15-clean.pdf",
    "pdf/scan-debian-faq-p31-blurjpeg.pdf",
)
"""Ten scans that lie straight: documents, a photocopy, a brochure in columns, receipts, a page in French."""


def picture_of(path: Path) -> Image.Image:
    """The first page of a scan, grey."""
    if path.suffix == ".pdf":
        with pypdfium2.PdfDocument(path) as document:
            return document[0].render(scale=DPI / 72, grayscale=True).to_pil().convert("L")
    return Image.open(path).convert("L")


def turned(degrees: float) -> Callable[[Image.Image], Image.Image]:
    """A distortion that turns the page anticlockwise on a larger sheet."""
    return lambda page: page.rotate(degrees, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=255)


def bent(share: float) -> Callable[[Image.Image], Image.Image]:
    """A distortion that bends the lines of the page, by a share of its height."""

    def bend(page: Image.Image) -> Image.Image:
        grey = np.asarray(page)
        height, width = grey.shape
        sag = int(share * height)
        out = np.full((height + sag, width), 255, np.uint8)
        for x in range(width):
            down = round(sag * math.sin(math.pi * x / width))
            out[down : down + height, x] = grey[:, x]
        return Image.fromarray(out)

    return bend


def shadowed(page: Image.Image) -> Image.Image:
    """A distortion by a shadow that falls over a third of the page, down to a third of the light."""
    grey = np.asarray(page).astype(np.float32)
    height, width = grey.shape
    across = np.linspace(0, 1, width)[None, :] + 0.2 * np.linspace(0, 1, height)[:, None]
    light = 1 - 0.67 / (1 + np.exp(-(across - 0.75) * 25))
    return Image.fromarray((grey * light).astype(np.uint8))


DISTORTIONS: dict[str, Callable[[Image.Image], Image.Image]] = {
    "clean": lambda page: page,
    "skew 2": turned(2),
    "skew 4": turned(4),
    "skew -8": turned(-8),
    "turned 180": turned(180),
    "turned 90": turned(90),
    "turned 90, skew 3": turned(93),
    "bent .01": bent(0.01),
    "bent .03": bent(0.03),
    "shadow": shadowed,
}


def distorted(folder: Path, into: Path, distortion: str) -> Iterator[Scan]:
    """The clean scans of the corpus, distorted and written as PNG files."""
    known = {scan.name: scan for scan in scans(folder)}
    for name in CLEAN:
        scan = known[name]
        path = into / f"{Path(name).stem}.png"
        DISTORTIONS[distortion](picture_of(scan.path)).save(path, dpi=(DPI, DPI))
        yield Scan(name=name, kind=distortion, path=path, language=scan.language, truth=scan.truth)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--engines", default="default")
    parser.add_argument("--only", default="", help="distortions whose name begins with this, beside 'clean'")
    parser.add_argument("--as-displayed", action="store_true", help="do not rectify")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    folder = corpus_folder()
    if folder is None:
        print("no corpus: name its folder in OCTAVO_CORPUS", file=sys.stderr)
        return 2
    order = None if args.engines == "default" else tuple(args.engines.split(","))
    settings = Settings(workers=2, ocr=OcrSettings(engines=order, rectify=not args.as_displayed))
    rates: dict[str, dict[str, float]] = {}
    with Runtime(settings) as runtime, tempfile.TemporaryDirectory() as scratch:
        for distortion in DISTORTIONS:
            if distortion != "clean" and not distortion.startswith(args.only):
                continue
            found = [read(runtime, scan) for scan in distorted(folder, Path(scratch), distortion)]
            rates[distortion] = {score.name: round(score.error_rate, 4) for score in found}
            mean = sum(rates[distortion].values()) / len(found)
            seconds = sum(score.seconds for score in found) / len(found)
            clean = sum(rates["clean"].values()) / len(found)
            print(
                f"{distortion:20} {mean:.3f}  {mean - clean:+.3f}  {seconds:.1f} s a page", file=sys.stderr, flush=True
            )
            worst = max(found, key=lambda score: score.error_rate - rates["clean"][score.name])
            print(f"{'':20} worst: {worst.name} {worst.error_rate:.3f}", file=sys.stderr, flush=True)
    if args.json:
        print(json.dumps(rates, indent=2))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
