"""OC-ERR on passwords: one that opened documents before opens none that is given without it."""

from __future__ import annotations

from octavo_contracts import Capability, SourceEncrypted

from ..checks import GENERATED, Broken, Inapplicable, check
from ..evidence import describe
from ..subject import Subject
from ..vectors.locked_documents import make_locked


@check(
    "OC-ERR-014",
    scope="plugin",
    level=2,
    spec=("ENG-7", "ENG-6"),
    requires=("OC-ERR-005", "OC-ERR-006", "OC-ERR-007"),
    hook="convert",
    has=Capability.PASSWORDS,
    vectors=GENERATED,
)
def passwords_are_not_kept(subject: Subject) -> None:
    """Behind many documents that one password opened, others of that password are refused without it, and with another one.

    So are the documents that were opened.

    Fix:
    Use `request.password` for this call alone; keep neither passwords nor documents that they opened.
    """
    batches = make_locked(subject.seed, subject.media_types)
    if not batches:
        raise Inapplicable("the suite locks no document of the plugin's formats")
    pool, before = subject.second_pool, None
    for batch in batches:
        for vector in batch.opened:
            seen = subject.convert_again(vector, pool=pool, password=vector.password)
            if seen.answer is None:
                raise Broken("the right password is refused", expected="a Conversion", actual=describe(seen.error))
        for vector in (*batch.refused, batch.opened[0], batch.opened[-1]):
            for password in (None, before or "unknown"):
                seen = subject.convert_again(vector, pool=pool, password=password)
                if not isinstance(seen.error, SourceEncrypted):
                    raise Broken(
                        f"{vector.path} opens without its password behind others of the same password",
                        expected="SourceEncrypted",
                        actual=describe(seen.error) if seen.error else "a Conversion",
                    )
        before = batch.opened[0].password
