import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DynamoDBClient,
  PutItemCommand,
  type UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Item } from '../../../lambdas/domain/item.ts';
import { type Executed, Exploration } from '../../lambdas/authorizer/exploration.ts';
import { scenarios } from '../../lambdas/authorizer/scenarios.ts';
import { serve } from '../loopback-server.ts';
import { tableShapes } from './table-shapes.ts';

/*
 * The tests of the limiter use an item in memory, on which its commands are executed. Here this is
 * compared with a database.
 */

const samplesOfEach = 12;

let server: ChildProcess | undefined;
let dynamodb: DynamoDBClient;

beforeAll(async () => {
  const endpoint = process.env.DYNAMODB_ENDPOINT ?? (await startEmbeddedDynamoDb());
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  dynamodb = new DynamoDBClient({ endpoint, region: 'local', credentials });
});

afterAll(() => {
  dynamodb.destroy();
  server?.kill();
});

it("executes the limiter's commands like a DynamoDB-compatible database", async () => {
  const TableName = randomUUID();
  const BillingMode = 'PAY_PER_REQUEST';
  await dynamodb.send(new CreateTableCommand({ TableName, BillingMode, ...tableShapes.ApiKeys }));
  const sent = await sentByLimiter();

  for (const { item, command, execution } of sent) {
    await dynamodb.send(new PutItemCommand({ TableName, Item: item }));
    const toTable = Object.assign(command, { input: { ...command.input, TableName } });

    const answer = await dynamodb
      .send(toTable as UpdateItemCommand)
      .catch((error: ConditionalCheckFailedException) => error);

    expect(itemIn(answer)).toEqual(itemIn(execution.answer));
  }
  expect(sent.length).toBeGreaterThan(100);
});

/** Starts the database of the local run, in memory. */
async function startEmbeddedDynamoDb(): Promise<string> {
  const free = await serve(() => {});
  await free[Symbol.asyncDispose]();
  const path = `node_modules/@dynoxide/${process.platform}-${process.arch}/dynoxide`;
  server = spawn(path, ['serve', '--port', new URL(free.url).port]);
  await once(server.stderr!, 'data');
  return free.url;
}

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
