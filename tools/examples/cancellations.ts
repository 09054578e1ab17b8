import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import {
  FilterCriteria,
  FilterRule,
  type IFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/**
 * Calls a function for each cancellation. A cancellation that the function cannot handle would keep all later ones of
 * its shard waiting for a day, and then they would be lost. So a batch that fails is halved until this cancellation is
 * alone, and after ten retries its place in the stream goes to a queue.
 *
 * @param orders such as `Table.fromTableAttributes(this, 'Orders', { tableName, tableStreamArn })`
 * @param failures a queue. Set an alarm on its messages, because a record can be read again for 24 hours only
 */
export function hearOfCancellations(refundOrder: IFunction, orders: ITable, failures: IQueue) {
  const OldImage = { status: { S: FilterRule.notEquals('cancelled') } };
  const NewImage = { status: { S: FilterRule.isEqual('cancelled') } };
  const source = new DynamoEventSource(orders, {
    startingPosition: StartingPosition.TRIM_HORIZON,
    filters: [FilterCriteria.filter({ dynamodb: { OldImage, NewImage } })],
    bisectBatchOnError: true,
    retryAttempts: 10,
    onFailure: new SqsDlq(failures),
  });
  refundOrder.addEventSource(source);
}
