import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import type { Account } from './account.ts';
import { Gateway } from './api-gateway/gateway.ts';
import { readCallers } from './dynamodb/callers.ts';
import { loadFunctions } from './lambda/functions.ts';
import { region, Template } from './template.ts';

/** A template whose tables exist and whose functions are loaded. */
export type Deployment = Awaited<ReturnType<typeof deployTemplate>>;

/**
 * Creates a template's missing tables, and loads its functions and its REST API.
 *
 * @param templateFile with the functions' code in the same folder
 * @throws TemplateError for a part that is not supported
 */
export async function deployTemplate(templateFile: string, stackName: string, account: Account) {
  const { database, guard, controlPlane, now, log, logFunction } = account;
  const template = new Template(JSON.parse(readFileSync(templateFile, 'utf8')), stackName);
  const callers = readCallers(template);
  const functionOf = loadFunctions(template, dirname(templateFile), {
    now,
    log: logFunction,
    variablesOf: (logicalId) => ({
      AWS_ACCESS_KEY_ID: callers.get(logicalId)!.accessKeyId,
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: region,
      AWS_ENDPOINT_URL_DYNAMODB: guard.endpoint,
    }),
  });
  const gateway = new Gateway(template, { functionOf, meter: controlPlane.meter, log });
  const outputs = template.outputs();
  guard.admit([...callers.values()]);
  await createTables(template, database.client);
  return { stackName, outputs, gateway };
}

/**
 * Creates missing tables. Creates the missing tables. It does not wait for a table, because a local server answers
 * after it has created the table.
 */
async function createTables(template: Template, client: DynamoDBClient): Promise<void> {
  const tables = template.ofType('AWS::DynamoDB::Table').map(async ({ ref, property }) => {
    const table = new CreateTableCommand({
      TableName: ref,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: property('KeySchema'),
      AttributeDefinitions: property('AttributeDefinitions'),
    });
    try {
      await client.send(table);
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error;
    }
  });
  await Promise.all(tables);
}
