"""The writes of the store's own system to the table of orders. docs/store-system.md gives the reason for each
condition. The variable ORDERS_TABLE has the table's name."""

import os
from datetime import datetime, timezone

import boto3

orders = boto3.resource("dynamodb").Table(os.environ["ORDERS_TABLE"])
ConditionFailed = orders.meta.client.exceptions.ConditionalCheckFailedException


def create_order(order):
    """Returns False if the order exists."""
    item = {**order, "status": "pending", "complete": False}
    try:
        orders.put_item(Item=item, ConditionExpression="attribute_not_exists(id)")
        return True
    except ConditionFailed:
        return False


def ship_order(order_id, shipped_by):
    """Returns the state of the order from the response. Hand over the parcel only if the state is "shipped"."""
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    try:
        response = orders.update_item(
            Key={"id": order_id},
            UpdateExpression="SET #status = :shipped, complete = :true, shipDate = :now, "
            "shippedAt = :now, shippedBy = :by",
            ConditionExpression="#status = :pending",
            ExpressionAttributeNames={"#status": "status"},
            ExpressionAttributeValues={
                ":pending": "pending",
                ":shipped": "shipped",
                ":true": True,
                ":now": now,
                ":by": shipped_by,
            },
            ReturnValues="UPDATED_NEW",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
        return response.get("Attributes", {}).get("status")
    except ConditionFailed as error:
        return error.response.get("Item", {}).get("status", {}).get("S")


def note_warehouse(order_id, warehouse):
    """Sets an attribute of your own."""
    orders.update_item(
        Key={"id": order_id},
        UpdateExpression="SET warehouse = :warehouse",
        ConditionExpression="attribute_exists(id)",
        ExpressionAttributeValues={":warehouse": warehouse},
    )
