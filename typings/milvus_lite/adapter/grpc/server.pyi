"""What the tests use of milvus-lite 3.x, which comes without types."""

from threading import Event

class Server:
    def stop(self, grace: float) -> Event: ...

class Database:
    def close(self) -> None: ...

def start_server_in_thread(data_dir: str, host: str, port: int) -> tuple[Server, Database, int]: ...
