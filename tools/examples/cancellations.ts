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
 * Calls a function for each cancellation. If the function fails for a cancellation, Lambda retries it ten times, puts
 * its place in the stream into a queue, and goes on. By default, this cancellation would block all later records of
 * its shard for a day.
 *
 * @param orders such as `Table.fromTableAttributes(this, 'Orders', { tableName, tableStreamArn })`
 * @param failures the queue. Set an alarm on its messages, because a record can only be read again for 24 hours
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
