import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { operatorName } from '../../console/operator-name.ts';

const sts = mockClient(STSClient);
const onStage = { stage: 'prod' };
const locally = { local: 'http://127.0.0.1:3000' };

const nameOf = (target: Parameters<typeof operatorName>[0], environment: Record<string, string>) =>
  operatorName(target, environment, {} as never);

beforeEach(() => {
  sts.reset();
});
afterAll(() => sts.restore());

describe("an operator's name", () => {
  it.each([
    ['arn:aws:iam::111122223333:user/ann', 'user/ann'],
    [
      'arn:aws-cn:sts::111122223333:assumed-role/Ops/ann@example.com',
      'assumed-role/Ops/ann@example.com',
    ],
    ['arn:aws:iam::111122223333:root', 'root'],
    ['arn:aws:sts::111122223333:assumed-role/Ops/a:b', 'assumed-role/Ops/a:b'],
  ])('is that of the AWS identity, without its account: %s', async (Arn, name) => {
    sts.on(GetCallerIdentityCommand).resolves({ Arn });

    expect(await nameOf(onStage, {})).toBe(name);
  });

  it('is the value of --as, without a call to AWS', async () => {
    expect(await nameOf({ ...onStage, as: ' Ann ' }, {})).toBe('Ann');
    expect(sts.calls()).toEqual([]);
  });

  it('is no key id, as which an operator would look like a customer', async () => {
    for (const as of ['key_OZdPcLLZJvux4LZgjIZhboDXYTUkQcS0', ' KEY_1']) {
      await expect(nameOf({ ...onStage, as }, {})).rejects.toThrow(/^--as: "key_.*not a key id$/i);
    }
  });

  it("is that of the machine's user on a local run", async () => {
    expect(await nameOf(locally, { USER: 'ann' })).toBe('ann');
    expect(await nameOf(locally, {})).toBe('local');
  });

  it('is required with --as if AWS does not say it', async () => {
    sts.on(GetCallerIdentityCommand).resolvesOnce({}).rejects(new Error('no answer'));

    for (const reason of ['you are', 'you are: no answer'])
      await expect(nameOf(onStage, {})).rejects.toThrow(
        `--as is missing, and AWS does not say who ${reason}`,
      );
  });
});
