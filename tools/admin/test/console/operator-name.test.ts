import { expect, it } from '@jest/globals';
import { operatorName } from '../../console/operator-name.ts';

const arn = 'arn:aws:iam::111122223333:user/ann';

it.each([
  ['the AWS identity, without its account', undefined, arn, 'user/ann'],
  ['an identity with a colon', undefined, 'arn:aws-cn:sts::1:assumed-role/a:b', 'assumed-role/a:b'],
  ['the value of --as', ' Ann ', arn, 'Ann'],
  ["the machine's user on a local run", undefined, undefined, 'bob'],
])("an operator's name is %s", (_, as, callerArn, name) => {
  expect(operatorName(as, { USER: 'bob' }, callerArn)).toBe(name);
});

it.each(['key_OZdPcLLZJvux4LZgjIZhboDXYTUkQcS0', ' KEY_1'])(
  'an operator who was called like a key would look like a customer: %s',
  (as) => {
    expect(() => operatorName(as, {}, arn)).toThrow(/^--as: "key_.*not a key id$/i);
  },
);
