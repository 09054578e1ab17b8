import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { readGateway } from './api-gateway/gateway.ts';
import { readCallers } from './dynamodb/callers.ts';
import { type DatabaseOptions, openDatabase } from './dynamodb/database.ts';
import { startDynamoDBGuard } from './dynamodb/guard.ts';
import { loadFunctions } from './lambda/functions.ts';
import { createControlPlane } from './management/control-plane.ts';
import { readTemplate, region, type Template } from './template.ts';

export interface AccountOptions extends DatabaseOptions {
  /** Takes a line of a function, of `gateway` or of `iam`. */
  readonly log: (source: string, line: string) => void;
}

/** The surroundings of a deployment, which outlive it: the data, the gateway's keys and the log. */
export type Account = Awaited<ReturnType<typeof openAccount>>;

/** A template whose tables exist and whose functions are loaded. */
export type Deployment = Awaited<ReturnType<typeof deployTemplate>>;

/** @throws OperatorError if there is no database */
export async function openAccount(options: AccountOptions) {
  const { log } = options;
  const database = await openDatabase(options);
  const guard = await startDynamoDBGuard(database, log);
  return {
    database,
    /** The proxy through which the functions use the database. */
    guard,
    controlPlane: createControlPlane(),
    log,
    close: async () => {
      await guard.close();
      await database.close();
    },
  };
}

/**
 * Creates a template's missing tables, and loads its functions and its REST API.
 *
 * @param templateFile with the functions' code in the same folder
 * @throws TemplateError for a part that is not supported
 */
export async function deployTemplate(templateFile: string, stackName: string, account: Account) {
  const { database, guard, controlPlane, log } = account;
  const template = readTemplate(JSON.parse(readFileSync(templateFile, 'utf8')), stackName);
  const callers = readCallers(template);
  const variablesOf = (logicalId: string) => ({
    AWS_ACCESS_KEY_ID: callers.get(logicalId)!.accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: region,
    AWS_ENDPOINT_URL_DYNAMODB: guard.endpoint,
  });
  const functionOf = loadFunctions(template, dirname(templateFile), variablesOf, log);
  const gateway = readGateway(template, functionOf, controlPlane.meter, log);
  guard.admit([...callers.values()]);
  await createTables(template, database.client);
  return { stackName, outputs: template.outputs, gateway };
}

/**
 * Creates missing tables. It does not wait for a table, because a local server answers after it has created the table.
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
