"""The metadata document of `/api/views/<id>.json`."""

from typing import Any

from include.source.simulator.fields import DATASET_ID, DATASET_NAME, Field


def view_document(fields: tuple[Field, ...], *, identity: str, rows: int, updated_at: int) -> dict[str, Any]:
    """The document of the crimes data set, with the identity of the rows behind it; times in seconds since 1970."""
    columns = [
        {
            "id": 3_000_000 + position,
            "name": field.title,
            "dataTypeName": field.type,
            "fieldName": field.name,
            "position": position,
            "renderTypeName": field.type,
            "tableColumnId": 1_000_000 + position,
        }
        for position, field in enumerate((f for f in fields if not f.name.startswith(":")), start=1)
    ]
    return {
        "id": DATASET_ID,
        "name": DATASET_NAME,
        "assetType": "dataset",
        "attribution": "Chicago Police Department",
        "category": "Public Safety",
        "createdAt": 1317398400,
        "description": "Reported incidents of crime, 2001 to present, minus the most recent seven days.",
        "displayType": "table",
        "newBackend": True,
        "provenance": "official",
        "rowIdentifierColumnId": 3_000_001,
        "rowsUpdatedAt": updated_at,
        "viewLastModified": 1733762103,
        "viewType": "tabular",
        "columns": columns,
        "metadata": {
            "rowIdentifier": 3_000_001,
            "custom_fields": {"simulator": {"identity": identity, "rows": str(rows)}},
        },
    }
