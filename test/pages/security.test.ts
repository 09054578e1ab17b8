import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { apiKeyPrefixes, stageNames, stageSettings } from '../../lib/settings/stages.ts';
import { expectAgreement } from '../helpers/agreement.ts';
import { exampleToken } from '../helpers/dynamodb/key-items.ts';

const [, pattern = ''] = /find them with\s+`(.+)`/.exec(readFileSync('SECURITY.md', 'utf8')) ?? [];

it.each(['openapi.yaml', 'docs/clients.md'])('the prefix of each stage is in %s', (file) => {
  const named = readFileSync(file, 'utf8').match(/\b[a-z]+_[a-z]+_(?=[`…])/g)!;

  expectAgreement(['lib/settings/stages.ts', apiKeyPrefixes], [file, named]);
});

it.each([...stageNames, 'try-ana'] as const)(
  'the pattern of SECURITY.md finds a key of %s in a text, and the whole of it',
  (stage) => {
    const token = exampleToken(stageSettings(stage).apiKeyPrefix);

    const [found] = new RegExp(pattern).exec(`key: ${token}.`) ?? [];

    // The message must not show the token.
    const part =
      found === token ? 'the key' : `${found?.length ?? 0} of its ${token.length} characters`;
    expect(`the pattern of SECURITY.md finds ${part}`).toBe(
      'the pattern of SECURITY.md finds the key',
    );
  },
);
