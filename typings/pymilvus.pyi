"""What Glossator uses of pymilvus 3.x, which comes without types."""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

class MilvusException(Exception): ...

class DataType(IntEnum):
    VARCHAR = ...
    FLOAT_VECTOR = ...

class CollectionSchema:
    def add_field(
        self,
        field_name: str,
        datatype: DataType,
        *,
        is_primary: bool = ...,
        is_partition_key: bool = ...,
        max_length: int = ...,
        dim: int = ...,
    ) -> CollectionSchema: ...

class IndexParams:
    def add_index(
        self, field_name: str, *, index_type: str, metric_type: str, params: Mapping[str, int]
    ) -> None: ...

class MilvusClient:
    def close(self) -> None: ...
    def __init__(
        self,
        uri: str,
        *,
        token: str = ...,
        timeout: float | None = ...,
        dedicated: bool = ...,
        server_pem_path: str = ...,
    ) -> None: ...
    def has_collection(self, collection_name: str, timeout: float | None = ...) -> bool: ...
    def describe_collection(
        self, collection_name: str, timeout: float | None = ...
    ) -> dict[str, Any]: ...
    def load_collection(self, collection_name: str, timeout: float | None = ...) -> None: ...
    def create_schema(
        self, *, auto_id: bool, enable_dynamic_field: bool, description: str
    ) -> CollectionSchema: ...
    def prepare_index_params(self) -> IndexParams: ...
    def create_collection(
        self,
        collection_name: str,
        *,
        schema: CollectionSchema,
        index_params: IndexParams,
        timeout: float | None = ...,
    ) -> None: ...
    def query(
        self,
        collection_name: str,
        *,
        filter: str,  # noqa: A002 - its name
        output_fields: Sequence[str],
        timeout: float | None = ...,
    ) -> Sequence[Mapping[str, Any]]: ...
    def upsert(
        self, collection_name: str, data: Sequence[Mapping[str, Any]], timeout: float | None = ...
    ) -> Mapping[str, Any]: ...
    def search(
        self,
        collection_name: str,
        data: Sequence[Any],
        *,
        filter: str,  # noqa: A002 - its name
        limit: int,
        search_params: Mapping[str, Any],
        timeout: float | None = ...,
    ) -> Sequence[Sequence[Mapping[str, Any]]]: ...
