"""The guard around every call of a service: a deadline, typed errors with the plugin's name, answers that fit the contract.

A service runs in the host's process (see `services`). Its calls run in threads of their own, so that the caller can stop
waiting for one. Python cannot end a thread: a service that exceeded its deadline is not called again while that call lasts.
No guard in the same process survives `os._exit` or a crash of native code.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import TypeVar

from octavo_contracts import (
    ContractViolation,
    ConversionTimeout,
    ConverterCrashed,
    OctavoError,
    StorageError,
    ToolUnavailable,
)
from octavo_sandbox import Cancelled
from octavo_sandbox.redaction import names_behind, redact

from .registry import PluginInfo
from .service_answers import WrongAnswer

SERVICE_SECONDS = 300.0
"""Deadline of a call if neither the host's settings nor the manifest have a shorter one."""

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class ServiceGuard:
    """Calls the service of a plugin.

    Attributes:
        plugin: the plugin.
        kind: the kind of service.
        seconds: deadline of a call.
    """

    plugin: PluginInfo
    kind: str
    seconds: float = SERVICE_SECONDS
    _overdue: set[threading.Thread] = field(default_factory=set, repr=False, compare=False)

    def call(self, work: Callable[[], T], *, seconds: float | None = None) -> T:
        """Run work that calls the service, and return its result.

        Args:
            work: calls the service and checks its answer.
            seconds: a deadline for this call, instead of `self.seconds`.

        Raises:
            Cancelled: the caller cancelled.
            ConversionTimeout: the deadline passed.
            ToolUnavailable: an earlier call exceeded its deadline and has not ended.
            OctavoError: see `blamed_on`.
        """
        with blamed_on(self.plugin, kind=self.kind):
            return self.run(work, seconds=seconds)

    def run(self, work: Callable[[], T], *, seconds: float | None = None) -> T:
        """Like `call`, for work whose exceptions are raised as they are."""
        self._refuse_if_overdue()
        allowed = self.seconds if seconds is None else seconds
        outcome: list[T] = []
        raised: list[BaseException] = []
        done = threading.Event()
        context = copy_context()

        def run() -> None:
            try:
                outcome.append(context.run(work))
            except KeyboardInterrupt:
                raised.append(SystemExit("KeyboardInterrupt"))  # not the user's: signals reach the main thread alone
            except BaseException as error:  # noqa: BLE001 - dispatch: raised again in the caller's thread
                raised.append(error)
            finally:
                done.set()

        # A daemon: a call that never ends must not keep the process from ending.
        thread = threading.Thread(target=run, name=f"octavo-{self.kind}-{self.plugin.name}", daemon=True)
        thread.start()
        if not done.wait(allowed):
            self._overdue.add(thread)
            raise self._late(allowed)
        if raised:
            raise raised.pop()
        return outcome[0]

    async def await_(self, work: Callable[[], Awaitable[T]]) -> T:
        """Like `call`, for work that runs in the event loop of the caller; the deadline ends it where it next awaits."""
        import asyncio  # imported here: a conversion without a service needs no event loop, and starts sooner

        try:
            with blamed_on(self.plugin, kind=self.kind):
                async with asyncio.timeout(self.seconds) as limit:
                    return await work()
        except ConverterCrashed:
            if limit.expired():
                raise self._late(self.seconds) from None
            raise

    def _refuse_if_overdue(self) -> None:
        self._overdue.difference_update([thread for thread in self._overdue if not thread.is_alive()])
        if self._overdue:
            raise ToolUnavailable(
                f"the {self.kind} has not ended an earlier call that exceeded its deadline",
                plugin=self.plugin.name,
                remedy="Restart the host, or report it to the author of the plugin",
            )

    def _late(self, seconds: float) -> ConversionTimeout:
        return ConversionTimeout(f"the {self.kind} did not answer within {seconds:g} s", plugin=self.plugin.name)


@contextmanager
def blamed_on(plugin: PluginInfo, *, kind: str) -> Iterator[None]:
    """Convert every exception of a service call into its plugin's failure, with a reason code.

    Quotations of the document are redacted from the message, and the original exception is not chained, since it may
    contain them.

    Raises:
        Cancelled: the caller cancelled.
        asyncio.CancelledError: the caller's task was cancelled.
        ContractViolation: the answer does not fit the contract, or the service raised an error that means a wrong call.
        ConverterCrashed: the service raised an exception that is not in the contract, such as `SystemExit`.
        OctavoError: raised by the service.
    """
    package = plugin.module.partition(".")[0]
    try:
        yield
    except Cancelled:
        raise
    except WrongAnswer as error:
        raise ContractViolation(f"the {kind} returned {error}", plugin=plugin.name) from None
    except OctavoError as error:
        redact(error, package=package, known=names_behind(error))
        error.plugin = plugin.name
        if error.reason is not None or isinstance(error, StorageError):
            raise error from None
        raise ContractViolation(
            f"the {kind} raised {type(error).__name__}: {error.message}", plugin=plugin.name
        ) from None
    except BaseException as error:  # dispatch: whatever a service raises is that plugin's failure alone
        if _is_cancelled_by_caller(error) or isinstance(error, KeyboardInterrupt):
            raise
        from .worker import typed_error  # imported here: it loads modules that only workers need

        typed = typed_error(error, kind, plugin=plugin.name, module=plugin.module)
        redact(typed, package=package, known=(f"{kind} raised", *names_behind(error)))
        typed.plugin = plugin.name  # redacted, unless it is one of the words that are kept
        raise typed from None


def _is_cancelled_by_caller(error: BaseException) -> bool:
    """Return whether the caller's own task is being cancelled; a service may raise the same exception by itself."""
    import asyncio  # imported here: a conversion without a service needs no event loop, and starts sooner

    if not isinstance(error, asyncio.CancelledError):
        return False
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no event loop runs in this thread
        return False
    return task is not None and task.cancelling() > 0
