import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { LocalRunError } from '../errors.ts';
import type { Template } from '../template/template.ts';

/**
 * Creates the template's tables where they are missing, with their keys. Other properties have no
 * effect locally. A local server has created a table when it answers.
 *
 * @throws LocalRunError when a table of an earlier version exists with another key
 */
export async function provideTables(template: Template, client: DynamoDBClient): Promise<void> {
  const tables = template.ofType('AWS::DynamoDB::Table').map(({ ref, property }) => ({
    TableName: ref,
    BillingMode: 'PAY_PER_REQUEST' as const,
    KeySchema: property('KeySchema'),
    AttributeDefinitions: property('AttributeDefinitions'),
  }));
  await Promise.all(tables.map((input) => createTable(input, client)));
}

async function createTable(input: CreateTableCommandInput, client: DynamoDBClient): Promise<void> {
  try {
    await client.send(new CreateTableCommand(input));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    await refuseOtherKey(input, client);
  }
}

async function refuseOtherKey(
  { TableName, KeySchema }: CreateTableCommandInput,
  client: DynamoDBClient,
): Promise<void> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const [present, wanted] = [Table!.KeySchema, KeySchema].map((schema) =>
    schema!.map(({ AttributeName }) => AttributeName).join(),
  );
  if (present === wanted) return;
  throw new LocalRunError(
    `the table ${TableName} exists with the key ${present}, but this version needs ${wanted}: use ` +
      'an empty data directory',
  );
}
