"""The lock of those who write: in the order of asking, for no longer than asked, and never by oneself twice."""

from __future__ import annotations

import contextlib
import signal
import threading
from pathlib import Path

import pytest

from podium.errors import FileError
from podium.pool import Pool
from podium.store import Store, open_store
from podium.store.database import Database, open_database
from podium.store.fair_lock import FairLock

SECONDS = 60.0  # longer than any test


def wait_until_waiting(lock: FairLock, number: int) -> None:
    """Nobody tells when a thread has begun to wait: look until so many do."""
    while len(lock._waiting) < number:
        threading.Event().wait(0.001)


def test_those_who_wait_get_it_in_the_order_in_which_they_came() -> None:
    lock, order = FairLock(), []

    def take(number: int) -> None:
        assert lock.acquire(seconds=SECONDS)
        order.append(number)
        lock.release()

    assert lock.acquire(seconds=SECONDS)
    threads = [threading.Thread(target=take, args=(number,)) for number in range(20)]
    for number, thread in enumerate(threads):
        thread.start()
        wait_until_waiting(lock, number + 1)
    lock.release()
    for thread in threads:
        thread.join()
    assert order == list(range(20))


def test_one_has_it_at_a_time() -> None:
    lock, inside, most = FairLock(), 0, 0

    def take() -> None:
        nonlocal inside, most
        for _ in range(200):
            assert lock.acquire(seconds=SECONDS)
            inside += 1
            most = max(most, inside)
            inside -= 1
            lock.release()

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (inside, most) == (0, 1)


def test_whoever_gives_up_is_passed_over() -> None:
    lock, got = FairLock(), []
    assert lock.acquire(seconds=SECONDS)
    hasty = threading.Thread(target=lambda: got.append(("hasty", lock.acquire(seconds=0.01))))
    hasty.start()
    hasty.join()
    patient = threading.Thread(target=lambda: got.append(("patient", lock.acquire(seconds=SECONDS))))
    patient.start()
    wait_until_waiting(lock, 1)
    lock.release()
    patient.join()
    assert got == [("hasty", False), ("patient", True)]


def test_a_thread_that_would_wait_for_itself_is_told_so_and_keeps_the_lock() -> None:
    lock = FairLock()
    assert lock.acquire(seconds=SECONDS)
    with pytest.raises(AssertionError, match="this thread is writing already"):
        lock.acquire(seconds=SECONDS)
    lock.release()
    assert lock.acquire(seconds=SECONDS)
    with pytest.raises(AssertionError, match="nobody has the lock"):
        FairLock().release()


def test_a_wait_that_is_interrupted_leaves_the_queue() -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    lock, usual = FairLock(), signal.signal(signal.SIGUSR1, interrupt)
    holding, done = threading.Event(), threading.Event()

    def hold() -> None:
        assert lock.acquire(seconds=SECONDS)
        holding.set()
        wait_until_waiting(lock, 1)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
        done.wait(SECONDS)
        lock.release()

    holder = threading.Thread(target=hold)
    holder.start()
    holding.wait(SECONDS)
    with pytest.raises(KeyboardInterrupt):
        lock.acquire(seconds=SECONDS)
    assert not lock._waiting
    done.set()
    holder.join()
    signal.signal(signal.SIGUSR1, usual)
    assert lock.acquire(seconds=SECONDS)


# ---- in a database ----


def test_a_transaction_inside_another_of_the_same_thread_is_a_mistake_and_both_are_undone(tmp_path: Path, pool: Pool) -> None:
    def write_twice(store: Store) -> None:
        with store.database.writing() as connection:
            connection.exec_driver_sql("INSERT INTO people (name, role, created_at) VALUES ('ann', 'judge', '')")
            store.add(pool)

    with open_store(tmp_path / "labels.db") as store:
        with pytest.raises(AssertionError, match="this thread is writing already"):
            write_twice(store)
        with store.database.reading() as connection:
            assert connection.exec_driver_sql("SELECT COUNT(*) FROM people").scalar() == 0
        assert store.add(pool) == 1


def test_a_thread_that_waits_too_long_for_others_is_told_so(tmp_path: Path) -> None:
    errors: list[BaseException] = []

    def write(database: Database) -> None:
        try:
            with database.writing():
                raise RuntimeError("two writers at once")
        except (FileError, RuntimeError) as error:
            errors.append(error)

    with contextlib.closing(open_database(tmp_path / "labels.db", busy_seconds=0.01)) as database:
        with database.writing():
            thread = threading.Thread(target=write, args=(database,))
            thread.start()
            thread.join()
        (error,) = errors
        assert str(error).endswith("labels.db: the database is locked: other threads of this process were writing for 0.01 s; try again")
        with database.writing():
            pass


def test_forty_threads_that_write_and_read_all_get_their_turn(place: str) -> None:
    with contextlib.closing(open_database(place)) as database:
        ready, failed = threading.Barrier(40), []

        def work(number: int) -> None:
            ready.wait()
            try:
                for each in range(5):
                    with database.writing() as connection:
                        name = f"{number}/{each}"
                        connection.exec_driver_sql(f"INSERT INTO people (name, role, created_at) VALUES ('{name}', 'judge', '')")
                    with database.reading() as connection:
                        connection.exec_driver_sql("SELECT COUNT(*) FROM people").scalar()
            except Exception as error:
                failed.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        with database.reading() as connection:
            assert connection.exec_driver_sql("SELECT COUNT(*) FROM people").scalar() == 40 * 5


def test_forty_threads_have_a_connection_to_sqlite_each(tmp_path: Path) -> None:
    with contextlib.closing(open_database(tmp_path / "labels.db")) as database, contextlib.ExitStack() as open_at_once:
        for _ in range(60):
            connection = open_at_once.enter_context(database.reading())
            assert connection.exec_driver_sql("SELECT COUNT(*) FROM people").scalar() == 0
