import { describe, expect, it } from '@jest/globals';
import { operatorName } from '../../console/operator-name.ts';

const arn = 'arn:aws:iam::111122223333:user/ann';

describe("an operator's name", () => {
  it.each([
    [arn, 'user/ann'],
    [
      'arn:aws-cn:sts::111122223333:assumed-role/Ops/ann@example.com',
      'assumed-role/Ops/ann@example.com',
    ],
    ['arn:aws:iam::111122223333:root', 'root'],
    ['arn:aws:sts::111122223333:assumed-role/Ops/a:b', 'assumed-role/Ops/a:b'],
  ])('is that of the AWS identity, without its account: %s', (callerArn, name) => {
    expect(operatorName(undefined, {}, callerArn)).toBe(name);
  });

  it('is the value of --as', () => {
    expect(operatorName(' Ann ', {}, arn)).toBe('Ann');
  });

  it.each(['key_OZdPcLLZJvux4LZgjIZhboDXYTUkQcS0', ' KEY_1'])(
    'cannot be a key id, because an operator would then look like a customer: %s',
    (as) => {
      expect(() => operatorName(as, {}, arn)).toThrow(/^--as: "key_.*not a key id$/i);
    },
  );

  it("is that of the machine's user on a local run", () => {
    expect(operatorName(undefined, { USER: 'ann' }, undefined)).toBe('ann');
    expect(operatorName(undefined, {}, undefined)).toBe('local');
  });
});
