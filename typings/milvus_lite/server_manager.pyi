"""What the tests use of milvus-lite 3.x, which comes without types."""

class ServerManager:
    def release_server(self, path: str) -> None: ...

server_manager_instance: ServerManager
