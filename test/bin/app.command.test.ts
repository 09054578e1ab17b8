import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { stackName } from '../../lib/settings/names.ts';
import type { StageConfiguration } from '../../lib/settings/stage-configuration.ts';
import { stageChoices, stageNames, stageSettings } from '../../lib/settings/stages.ts';
import { everySetting } from '../helpers/stage-for-tests.ts';
import { temporaryDirectoryOfEachTest } from '../helpers/temporary-directory.ts';

jest.setTimeout(120_000);

const directory = temporaryDirectoryOfEachTest();

/** Runs a program that writes a cloud assembly into the test's folder. */
function synthesis(program: readonly string[], environment: Record<string, string> = {}) {
  const { status, stderr } = spawnSync(process.execPath, program, {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env.PATH, CDK_OUTDIR: directory.path, ...environment },
    encoding: 'utf8',
  });
  const read = (file: string) => JSON.parse(readFileSync(join(directory.path, file), 'utf8'));
  return { status, stderr, read };
}

const app = ['bin/app.ts'];
const report = 'validation-report.json';

/** Synthesizes every stage with settings that replace its own settings. */
function appWith(settings: Partial<StageConfiguration>): string[] {
  const script = `
    import { synthesize } from './lib/app.ts';
    import { stageConfiguration } from './lib/settings/stage-configuration.ts';
    const configured = (stage) => ({ ...stageConfiguration(stage), ...${JSON.stringify(settings)} });
    await synthesize(${JSON.stringify(stageNames)}.map(configured), process.env.CDK_OUTDIR);`;
  return ['--input-type=module', '--eval', script];
}

describe('the synthesis for a deployment', () => {
  it("finds nothing that CloudFormation would reject, and uses the account and the Region of the caller's credentials", () => {
    const caller = { CDK_DEFAULT_ACCOUNT: '111122223333', CDK_DEFAULT_REGION: 'eu-west-1' };
    // The place of staging, if the team has named it.
    const { env = { account: '111122223333', region: 'eu-west-1' } } = stageSettings('staging');

    const { status, stderr, read } = synthesis(app, caller);

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(read(report).pluginReports).toEqual([]);
    const { environment } = read('manifest.json').artifacts[stackName('staging')];
    expect(environment).toBe(`aws://${env.account}/${env.region}`);
  });

  it('makes the same templates with and without `cdk`, even if the user sets flags that the app sets itself', () => {
    const options = '--quiet --context @aws-cdk/core:enablePartitionLiterals=true --output';

    const { status } = spawnSync('cdk', ['synth', ...options.split(' '), directory.path], {
      cwd: join(import.meta.dirname, '../..'),
    });

    expect(status).toBe(0);
    const files = stageNames.map((stage) =>
      join(directory.path, `${stackName(stage)}.template.json`),
    );
    const ofCdk = files.map((file) => readFileSync(file, 'utf8'));
    synthesis(app, { CDK_VALIDATION: 'false' });
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(ofCdk);
  });

  it('finds only the property that CloudFormation would reject in a template with every setting, and names its line', () => {
    const tooSmall = appWith({ ...everySetting, firewall: { requestsPerIpPer5Minutes: 1 } });

    const { status, stderr, read } = synthesis(tooSmall);

    expect(status).toBe(1);
    expect(stderr).toMatch(/lib\/api\/firewall\.ts:\d+:\d+\nERROR Rules\.0\S+Limit: 1 is less/);
    const [{ violations }] = read(report).pluginReports;
    expect(violations).toHaveLength(1);
  });

  it('fails for an unknown stage, and writes no template', () => {
    const { status, stderr } = synthesis(app, { ORDERS_STAGE: 'nowhere' });

    expect(status).toBe(1);
    expect(stderr).toBe(`ORDERS_STAGE is "nowhere": use ${stageChoices}, or leave it out\n`);
    expect(readdirSync(directory.path)).toEqual([]);
  });
});
