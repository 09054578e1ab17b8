import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { stageConfiguration, stageNames } from '../../lib/settings/stages.ts';
import { createOwner, createToken } from '../../shared/api-key-token.ts';

const [, pattern = ''] = /find one without calling the service: `(.+)`/.exec(
  readFileSync('SECURITY.md', 'utf8'),
)!;

describe('the pattern of SECURITY.md', () => {
  it.each(stageNames)('finds a key of %s in a text, and the whole of it', (stage) => {
    const { apiKeyPrefix } = stageConfiguration(stage, {});
    const token = createToken(apiKeyPrefix, createOwner(apiKeyPrefix).seed);

    const [found] = new RegExp(pattern).exec(`key: ${token}.`) ?? [];

    // Compared without a message that would show the token.
    expect(found === token).toBe(true);
  });
});
