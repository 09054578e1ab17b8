import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { stackName } from '../../lib/settings/names.ts';
import { stageChoices, stageNames } from '../../lib/settings/stages.ts';
import { keyPrefix } from '../helpers/dynamodb/key-items.ts';
import { temporaryDirectoryOfEachTest } from '../helpers/temporary-directory.ts';

jest.setTimeout(120_000);

const directory = temporaryDirectoryOfEachTest();

/** Changed sources: a text, and its replacement. */
type ChangedSources = Readonly<Record<string, readonly [text: string, replacement: string]>>;

/** Turns on everything that is optional, so that the checks see the whole template. */
const everySetting: ChangedSources = {
  'lib/settings/stages.ts': [
    'gradualDeployment:',
    `env: { account: '123456789012', region: 'eu-central-1' },
    domain: {
      name: 'api<n>.example.com',
      certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/example',
    },
    corsOrigin: 'https://shop.example.com',
    runbook: 'https://example.com/repository/blob/main/docs/runbook.md',
    lambdaConcurrency: 1_000,
    alarmEmail: 'operator@example.com',
    firewall: { requestsPerIpPer5Minutes: 400_000 },
    gradualDeployment:`,
  ],
};

/** Removes the places that a team has entered. */
const withoutPlaces: ChangedSources = {
  'lib/settings/stages.ts': ['gradualDeployment:', 'env: undefined, gradualDeployment:'],
};

/** Synthesizes every stage, as `cdk deploy` does, and returns the findings of the templates' checks. */
function synthesis(changed: ChangedSources = {}, environment: Record<string, string> = {}) {
  const hook = join(import.meta.dirname, 'changed-sources.ts');
  const { status, stderr } = spawnSync(process.execPath, ['--import', hook, 'bin/app.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: {
      PATH: process.env.PATH,
      CDK_OUTDIR: directory.path,
      CHANGED_SOURCES: JSON.stringify(changed),
      ...environment,
    },
    encoding: 'utf8',
  });
  const read = (file: string) => readFileSync(join(directory.path, file), 'utf8');
  return {
    status,
    stderr,
    get findings() {
      return JSON.parse(read('validation-report.json')).pluginReports;
    },
    read,
  };
}

describe('the synthesis for a deployment', () => {
  it('finds nothing in the templates that CloudFormation would reject', () => {
    expect(synthesis()).toMatchObject({ status: 0, stderr: '', findings: [] });
  });

  it("is for the place of the caller's credentials, which `cdk` passes, unless the stage is protected", () => {
    const caller = { CDK_DEFAULT_ACCOUNT: '111122223333', CDK_DEFAULT_REGION: 'eu-west-1' };

    const { status, read } = synthesis(withoutPlaces, caller);

    expect(status).toBe(0);
    const { artifacts } = JSON.parse(read('manifest.json'));
    const places = stageNames.map((stage) => artifacts[stackName(stage)].environment);
    expect(places).toEqual(['aws://111122223333/eu-west-1', 'aws://000000000000/eu-central-1']);
  });

  it('finds nothing with all optional settings', () => {
    const { status, findings, read } = synthesis(everySetting);

    expect({ status, findings }).toEqual({ status: 0, findings: [] });
    const { artifacts } = JSON.parse(read('manifest.json'));
    for (const stage of stageNames) {
      const { environment, properties } = artifacts[stackName(stage)];
      expect(environment).toBe('aws://123456789012/eu-central-1');
      expect(properties.terminationProtection ?? false).toBe(stage === 'prod');
      const template = read(`${stackName(stage)}.template.json`);
      for (const type of ['ApiGateway::DomainName', 'WAFv2::WebACL']) {
        expect(template).toContain(`AWS::${type}`);
      }
    }
  });

  it('makes the same templates with and without `cdk`, whatever its user sets of what the app sets itself', () => {
    const synthesizeStages = 'synth --quiet --context @aws-cdk/core:enablePartitionLiterals=true';

    const { status } = spawnSync(
      'cdk',
      [...synthesizeStages.split(' '), '--output', join(directory.path, 'cdk')],
      {
        cwd: join(import.meta.dirname, '../..'),
      },
    );

    expect(status).toBe(0);
    const { read } = synthesis();
    for (const stage of stageNames) {
      const file = `${stackName(stage)}.template.json`;
      expect(read(join('cdk', file))).toBe(read(file));
    }
  });

  it('fails for a property that CloudFormation would reject, and names the line that sets it', () => {
    const tooSmall: ChangedSources = { 'lib/functions/api-function.ts': ['?? 512', '?? 1'] };

    const { status, stderr, findings } = synthesis(tooSmall);

    expect(status).toBe(1);
    expect(stderr).toMatch(/lib\/functions\/api-function\.ts:\d+:\d+\nERROR MemorySize: 1 is less/);
    expect(findings).toMatchObject([
      { pluginName: 'CloudFormation Validate', conclusion: 'failure' },
    ]);
  });

  it('fails for a setting that AWS would reject, so that no earlier template is deployed', () => {
    const unknown: ChangedSources = { 'lib/settings/stages.ts': [`'${keyPrefix}',`, "'TEST_',"] };

    const { status, stderr } = synthesis(unknown);

    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'lib/settings/stages.ts, staging: apiKeyPrefix is "TEST_": give lower-case letters and _, with _ at the end, a prefix that no other stage has\n',
    });
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it.each([['ORDERS_STAGE', 'nowhere', `use ${stageChoices}`]])(
    'fails for the value of %s "%s"',
    (name, value, remedy) => {
      const { status, stderr } = synthesis({}, { [name]: value });

      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: `${name} is "${value}": ${remedy}, or leave it out\n`,
      });
    },
  );
});
