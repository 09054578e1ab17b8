import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { LocalRunError } from '../template/local-run-error.ts';
import type { Template } from '../template/template.ts';

/** A table of the template, with the input for creating it. */
interface TableDefinition {
  readonly logicalId: string;
  readonly name: string;
  readonly input: CreateTableCommandInput;
}

const creationMaxSeconds = 60;

/** The template's tables with their keys and indexes. Other properties have no effect locally. */
export function readTables(template: Template): TableDefinition[] {
  const tables = [
    ...template.ofType('AWS::DynamoDB::Table'),
    ...template.ofType('AWS::DynamoDB::GlobalTable'),
  ];
  return tables.map(({ logicalId, ref, property }) => ({
    logicalId,
    name: ref,
    input: {
      TableName: ref,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: property('KeySchema'),
      AttributeDefinitions: property('AttributeDefinitions'),
      GlobalSecondaryIndexes: indexesOf(property('GlobalSecondaryIndexes')),
      LocalSecondaryIndexes: indexesOf(property('LocalSecondaryIndexes')),
    },
  }));
}

/**
 * Creates the tables that do not exist yet.
 *
 * @throws LocalRunError when a table of an earlier version exists with another key
 */
export async function createTables(
  tables: readonly TableDefinition[],
  client: DynamoDBClient,
): Promise<void> {
  await Promise.all(tables.map(({ input }) => createTable(input, client)));
}

async function createTable(input: CreateTableCommandInput, client: DynamoDBClient): Promise<void> {
  try {
    const { TableDescription } = await client.send(new CreateTableCommand(input));
    if (TableDescription!.TableStatus === 'ACTIVE') return;
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  const wait = { client, minDelay: 0.02, maxDelay: 1, maxWaitTime: creationMaxSeconds };
  await waitUntilTableExists(wait, { TableName: input.TableName });
  await refuseOtherKey(input, client);
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

// An index of a template can have properties that CreateTable does not accept.
function indexesOf(indexes: CreateTableCommandInput['GlobalSecondaryIndexes']) {
  return indexes?.map(({ IndexName, KeySchema, Projection }) => ({
    IndexName,
    KeySchema,
    Projection,
  }));
}
