import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import type { Template } from '../template/template.ts';

/**
 * Creates the template's tables where they are missing, with their keys. Other properties have no
 * effect locally. A local server has created a table when it answers.
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
    // The table is one of an earlier run.
    if (!(error instanceof ResourceInUseException)) throw error;
  }
}
