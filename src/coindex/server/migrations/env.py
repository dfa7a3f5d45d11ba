"""The Alembic environment; the caller provides the connection and its transaction."""

from __future__ import annotations

from alembic import context


def run() -> None:
    context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
    context.run_migrations()


if __name__ == "env_py":  # Alembic's name for it; importing it does nothing
    run()
