import { describe, expect, it } from '@jest/globals';
import { checkForgottenDashes } from '../../demo/npm-options.ts';

const names = ['port', 'stage', 'json', 'watch'];

describe('options that npm has kept', () => {
  it.each([
    [{ npm_config_port: 'true' }, ['3001'], 'npm start -- --port 3001'],
    [{ npm_config_port: '3001' }, [], 'npm start -- --port 3001'],
    [{ npm_config_stage: 'prod', npm_config_json: 'true' }, [], 'npm start -- --stage prod --json'],
  ])('stop the start with what was meant: %j %j', (environment, words, command) => {
    const check = () =>
      checkForgottenDashes(names, words, { npm_lifecycle_event: 'start', ...environment });

    expect(check).toThrow(/^npm kept --\w+.* to itself; put -- before the options: /);
    expect(check).toThrow(command);
  });

  it.each([
    ['is not npm', {}, []],
    ['is npm with other options', { npm_lifecycle_event: 'start', npm_config_yes: 'true' }, []],
    [
      'is npm with the option behind the dashes too',
      { npm_lifecycle_event: 'start', npm_config_port: '1' },
      ['--port=2'],
    ],
    [
      'is npm with an option switched off',
      { npm_lifecycle_event: 'start', npm_config_json: '' },
      [],
    ],
  ])('are none where the caller %s', (_, environment: NodeJS.ProcessEnv, words) => {
    expect(() => checkForgottenDashes(names, words, environment)).not.toThrow();
  });
});
