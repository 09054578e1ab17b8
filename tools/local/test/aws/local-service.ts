import { type AccountOptions, deployTemplate, openAccount } from '../../aws/deployment.ts';
import { serve } from '../../aws/serve.ts';

export type LocalService = Awaited<ReturnType<typeof startLocalService>>;

interface LocalServiceOptions extends AccountOptions {
  /** The template, with the functions' code in the same folder. */
  readonly templateFile: string;
  readonly stackName: string;
}

/** Starts a template as `npm start` does, on a free port and with empty tables. */
export async function startLocalService({
  templateFile,
  stackName,
  ...options
}: LocalServiceOptions) {
  const account = await openAccount(options);
  const deployment = await deployTemplate(templateFile, stackName, account);
  const server = await serve(deployment, account);
  const outputs: Readonly<Record<string, string>> = deployment.outputs;
  const { pathname } = new URL(outputs.BaseUrl ?? server.origin);
  return {
    origin: server.origin,
    /** The stack's outputs, with the address on this machine. */
    outputs: { ...outputs, BaseUrl: server.origin + pathname } as typeof outputs,
    dynamodb: account.database.client,
    controlPlane: account.controlPlane,
    close: async () => {
      await server.close();
      await account.close();
    },
  };
}
