import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import {
  FilterCriteria,
  FilterRule,
  type IFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';

/** @param orders such as `Table.fromTableAttributes(this, 'Orders', { tableName, tableStreamArn })` */
export function hearOfCancellations(refundOrder: IFunction, orders: ITable) {
  const OldImage = { status: { S: FilterRule.notEquals('cancelled') } };
  const NewImage = { status: { S: FilterRule.isEqual('cancelled') } };
  const filters = [FilterCriteria.filter({ dynamodb: { OldImage, NewImage } })];
  const startingPosition = StartingPosition.TRIM_HORIZON;
  refundOrder.addEventSource(new DynamoEventSource(orders, { startingPosition, filters }));
}
