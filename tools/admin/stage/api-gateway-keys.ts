import {
  type APIGatewayClient,
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  DeleteUsagePlanKeyCommand,
  GetUsagePlanKeyCommand,
  NotFoundException,
  paginateGetApiKeys,
  paginateGetUsagePlans,
} from '@aws-sdk/client-api-gateway';
import type { KeyGateway, NamedKey, UsagePlanMember } from './key-store.ts';

const pageSize = 500;

/** The key gateway that API Gateway's control plane provides, at the endpoint of the client. */
export function apiGatewayKeys(client: APIGatewayClient): KeyGateway {
  return {
    createApiKey: async (key) => {
      const { id } = await client.send(new CreateApiKeyCommand(key));
      return { id: id! };
    },
    findApiKeys: async (nameQuery) => {
      const found: NamedKey[] = [];
      for await (const page of paginateGetApiKeys({ client, pageSize }, { nameQuery })) {
        for (const { id, name } of page.items ?? []) found.push({ id: id!, name: name! });
      }
      return found;
    },
    deleteApiKey: (key) =>
      ignoring(NotFoundException, () => client.send(new DeleteApiKeyCommand(key))),
    createUsagePlanKey: (member) => addMember(client, member),
    deleteUsagePlanKey: (member) =>
      ignoring(NotFoundException, () => client.send(new DeleteUsagePlanKeyCommand(member))),
    findUsagePlans: async (key) => {
      const ids: string[] = [];
      for await (const page of paginateGetUsagePlans({ client, pageSize }, key)) {
        for (const plan of page.items ?? []) ids.push(plan.id!);
      }
      return ids;
    },
  };
}

// A conflict means that the key is already in this usage plan, or in another one of the same stage.
async function addMember(client: APIGatewayClient, member: UsagePlanMember): Promise<void> {
  try {
    await client.send(new CreateUsagePlanKeyCommand({ ...member, keyType: 'API_KEY' }));
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
    if (!(await isMember(client, member))) throw error;
  }
}

async function isMember(client: APIGatewayClient, member: UsagePlanMember): Promise<boolean> {
  try {
    await client.send(new GetUsagePlanKeyCommand(member));
    return true;
  } catch (error) {
    if (error instanceof NotFoundException) return false;
    throw error;
  }
}

async function ignoring(
  expected: typeof NotFoundException,
  call: () => Promise<unknown>,
): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof expected)) throw error;
  }
}
