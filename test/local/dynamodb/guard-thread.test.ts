import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { dirname, join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GuardThread, startGuardThread } from '../../../local/dynamodb/guard-thread.ts';
import { createIdentities, type Identity } from '../../../local/dynamodb/identities.ts';
import { type LoopbackServer, serve } from '../../helpers/loopback-server.ts';
import { createTemplate, lambda } from '../small-template.ts';

const template = createTemplate(lambda('Nothing', { FunctionName: 'nothing' }));
const identities = createIdentities(template);
const target = { 'x-amz-target': 'DynamoDB_20120810.ListTables' };

let thread: GuardThread;
let endpoint: string;
/** Calls the guard as an operator whose signature it does not know. */
let front: LoopbackServer;
let server: LoopbackServer;
let onCall: RequestListener;
const logged = Promise.withResolvers<string>();

beforeAll(async () => {
  onCall = (_, answer) => answer.end('{"TableNames":["Orders"]}');
  server = await serve((call, answer) => onCall(call, answer));
  thread = startGuardThread(logged.resolve);
  endpoint = await thread.listen({ endpoint: server.url, isSerial: false, identities });
  front = await serve((call, answer) => {
    thread.forwardForOperator(call, answer).catch(() => answer.destroy());
  });
});

afterAll(async () => {
  await thread.close();
  await front[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function listTables({ credentials }: Identity) {
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials, maxAttempts: 1 });
  const listing = client.send(new ListTablesCommand({})).finally(() => client.destroy());
  return (await listing).TableNames;
}

const callFront = (signal?: AbortSignal) =>
  fetch(front.url, { method: 'POST', headers: target, body: '{}', signal: signal ?? null });

describe('the thread of the guard', () => {
  it('answers the calls of the run, and hands on what it logs', async () => {
    expect(await listTables(identities.operator)).toEqual(['Orders']);
    await expect(listTables(identities.functions.get('Nothing')!)).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
    expect(await logged.promise).toMatch(/^iam: nothing is not authorized to perform /);
  });

  it('forwards a call and its body for the operator, and the answer with its status', async () => {
    const bodies: string[] = [];
    onCall = async (call, answer) => {
      bodies.push(String(await once(call, 'data')));
      answer.writeHead(400, { 'content-type': 'application/x-amz-json-1.0', 'x-own': '1' });
      answer.end('{"__type":"x"}');
    };

    const response = await callFront();

    expect([response.status, await response.text()]).toEqual([400, '{"__type":"x"}']);
    expect(response.headers.get('content-type')).toBe('application/x-amz-json-1.0');
    expect(response.headers.get('x-own')).toBeNull();
    expect(bodies).toEqual(['{}']);
  });

  it('calls off what it forwards when the operator goes away', async () => {
    const leaving = new AbortController();
    const ended = Promise.withResolvers<void>();
    onCall = (_, answer) => {
      answer.once('close', ended.resolve);
      leaving.abort();
    };

    await expect(callFront(leaving.signal)).rejects.toThrow('aborted');

    await expect(ended.promise).resolves.toBeUndefined();
  });

  it('accepts only the identities that have replaced the others', async () => {
    onCall = (_, answer) => answer.end('{"TableNames":[]}');
    const next = createIdentities(template);

    await thread.replaceIdentities(next);

    expect(await listTables(next.operator)).toEqual([]);
    await expect(listTables(identities.operator)).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
    });
  });

  it('fails what it should do when it has been closed, which is no unexpected end', async () => {
    const closed = startGuardThread(() => {});
    await closed.close();

    const listening = closed.listen({ endpoint: server.url, isSerial: false, identities });

    await expect(listening).rejects.toThrow('has ended unexpectedly');
    expect(await Promise.race([closed.ended, 'no end'])).toBe('no end');
  });

  it('says why it has ended by itself', async () => {
    const broken = startGuardThread(() => {});

    const listening = broken.listen({ endpoint: 'no address', isSerial: false, identities });

    await expect(listening).rejects.toThrow('Invalid URL');
    expect((await broken.ended).message).toBe('Invalid URL');
  });
});

it('loads no package into its thread, which starts with each local run', () => {
  const files = ['local/dynamodb/guard-worker.ts'];
  const packages: string[] = [];
  // A set of files that grows while it is walked; an import of types alone loads nothing.
  for (const file of files) {
    const code = readFileSync(file, 'utf8');
    for (const [, name] of code.matchAll(/^(?:import|export)(?! type)[^;]*? from '([^']+)';/gm)) {
      if (!name!.startsWith('.')) packages.push(name!);
      else if (!files.includes(join(dirname(file), name!))) files.push(join(dirname(file), name!));
    }
  }

  expect(files).toContain('local/dynamodb/upstream.ts');
  expect(packages.filter((name) => !name.startsWith('node:'))).toEqual([]);
});
