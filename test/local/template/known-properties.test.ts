import { describe, expect, it } from '@jest/globals';
import { checkKnownProperties, words } from '../../../local/template/known-properties.ts';

describe('known properties', () => {
  it('are words between spaces and line breaks', () => {
    expect(words('\n  Type Uri\n  Name')).toEqual(['Type', 'Uri', 'Name']);
  });

  it('are all that an object may have, besides what is not set', () => {
    const check = (value: object) => () =>
      checkKnownProperties('Method', 'Integration', value, 'Uri');

    expect(check({ Uri: 'x', Credentials: undefined })).not.toThrow();
    expect(check({ Uri: 'x', Credentials: 'y' })).toThrow(
      'Method: the property Integration.Credentials is not supported locally',
    );
  });
});
