import {
  ConditionalCheckFailedException,
  PutItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from '@jest/globals';
import type { Item } from '../../../lambdas/shared/dynamodb.ts';
import { attributes } from '../../../test/helpers/dynamodb/attribute-values.ts';
import { execute } from '../../../test/helpers/dynamodb/execution.ts';
import { type Executed, Exploration, keys } from '../../../test/lambdas/authorizer/exploration.ts';
import { ownerInUse, scenarios } from '../../../test/lambdas/authorizer/scenarios.ts';
import { embeddedDynamoDbOfFile } from './embedded-dynamodb.ts';

/*
 * Most tests of the limiter and of the commands use a table in memory, which executes the expressions
 * that they send. Here it is compared with the embedded DynamoDB.
 */

const samplesOfEach = 12;

/** Has what only the operator's commands use in expressions. */
const asOperators = new UpdateItemCommand({
  TableName: 'ApiKeys',
  Key: { ownerHash: ownerInUse.ownerHash! },
  UpdateExpression:
    'SET perDay = if_not_exists(perDay, :one), added = if_not_exists(added, :one) REMOVE dayCount, #keys.#key',
  ConditionExpression: 'size(#keys) = :one AND NOT size(#keys) < :one AND NOT size(added) < :one',
  ExpressionAttributeNames: { '#keys': 'keys', '#key': keys[0]!.tokenHash },
  ExpressionAttributeValues: attributes({ ':one': 1 }),
  ReturnValues: 'ALL_NEW',
});

const database = embeddedDynamoDbOfFile();

it("executes the limiter's and the operators' expressions like the embedded DynamoDB", async () => {
  const TableName = await database.createApiKeysTable();
  const execution = execute(ownerInUse, asOperators);
  const sent = [...(await sentByLimiter()), { item: ownerInUse, command: asOperators, execution }];

  for (const { item, command, execution } of sent) {
    await database.dynamodb.send(new PutItemCommand({ TableName, Item: item }));
    const toTable = Object.assign(command, { input: { ...command.input, TableName } });

    const answer = await database.dynamodb
      .send(toTable as UpdateItemCommand)
      .catch((error: ConditionalCheckFailedException) => error);

    expect(itemIn(answer)).toEqual(itemIn(execution.answer));
  }
  expect(sent.length).toBeGreaterThan(100);
});

/** Samples of everything that the limiter sends in the scenarios: of each expression that succeeds or fails. */
async function sentByLimiter(): Promise<Executed[]> {
  const executed: Executed[] = [];
  for (const scenario of Object.values(scenarios)) {
    const exploration = new Exploration(scenario);
    await exploration.run(() => undefined);
    executed.push(...exploration.executed);
  }
  const different = Map.groupBy(executed, ({ command, execution }) => {
    const { UpdateExpression, ConditionExpression } =
      command.input as Partial<UpdateItemCommandInput>;
    return `${UpdateExpression} ${ConditionExpression} ${execution.answer instanceof Error}`;
  });
  return [...different.values()].flatMap((each) =>
    each.filter((_, index) => index % Math.ceil(each.length / samplesOfEach) === 0),
  );
}

/** The item in an answer, under a name that says how the command ended. */
function itemIn(answer: { Item?: Item; Attributes?: Item } | ConditionalCheckFailedException) {
  if (answer instanceof ConditionalCheckFailedException) return { failed: answer.Item };
  return { read: answer.Item, written: answer.Attributes };
}
